import { replaceQuery, type Route } from '../state/route.js';

interface FilterProps {
  readonly route: Route;
  /** Of the parameter in the URL. */
  readonly name: string;
  readonly label: string;
}

/** A text to narrow a list by, which is part of the URL. */
export function FilterText({ route, name, label }: FilterProps) {
  return (
    <label>
      <span>{label}</span>
      <input
        type="search"
        value={route.query.get(name) ?? ''}
        onInput={(event) => replaceQuery(route, { [name]: event.currentTarget.value, page: undefined })}
      />
    </label>
  );
}

/** A time to narrow a list by, in the reader's zone, which is part of the URL. */
export function FilterTime({ route, name, label }: FilterProps) {
  return (
    <label>
      <span>{label}</span>
      <input
        type="datetime-local"
        value={route.query.get(name) ?? ''}
        onInput={(event) => replaceQuery(route, { [name]: event.currentTarget.value, page: undefined })}
      />
    </label>
  );
}

/** A choice to narrow a list by, which is part of the URL. */
export function FilterSelect({
  route,
  name,
  label,
  options,
}: FilterProps & { readonly options: readonly string[] }) {
  const value = route.query.get(name) ?? '';
  const shown = value === '' || options.includes(value) ? options : [value, ...options];
  return (
    <label>
      <span>{label}</span>
      <select
        value={value}
        onChange={(event) => replaceQuery(route, { [name]: event.currentTarget.value, page: undefined })}
      >
        <option value="">any</option>
        {shown.map((option) => (
          <option key={option} value={option}>
            {option}
          </option>
        ))}
      </select>
    </label>
  );
}
