import { Field } from '../components/field.js';
import type { TriggerHints } from '../components/trigger-hints.js';
import type { Draft } from './schedule-draft.js';

const ZONES: readonly string[] = [
  'UTC',
  ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC'),
];

const KINDS: readonly (readonly [Draft['kind'], string])[] = [
  ['cron', 'Cron'],
  ['interval', 'Fixed rate'],
  ['once', 'Once'],
];

interface TriggerFieldsProps {
  readonly draft: Draft;
  readonly hints: TriggerHints;
  /** What is wrong with the trigger. */
  readonly error: string | undefined;
  readonly onChange: (changes: Partial<Draft>) => void;
}

/** When it fires. */
export function TriggerFields({ draft, hints, error, onChange }: TriggerFieldsProps) {
  return (
    <fieldset class="stack">
      <legend class="legend">Trigger</legend>
      <div class="actions" role="radiogroup" aria-label="Kind of trigger">
        {KINDS.map(([kind, label]) => (
          <label key={kind} class="check">
            <input
              type="radio"
              name="kind"
              checked={draft.kind === kind}
              onChange={() => onChange({ kind })}
            />
            {label}
          </label>
        ))}
      </div>
      {draft.kind === 'cron' && <CronFields draft={draft} hints={hints} error={error} onChange={onChange} />}
      {draft.kind === 'interval' && (
        <Field label="Every" hint="Such as 30s, 15m or 1h30m; at least a second." error={error}>
          <input
            type="text"
            value={draft.every}
            onInput={(event) => onChange({ every: event.currentTarget.value })}
          />
        </Field>
      )}
      {draft.kind === 'once' && (
        <Field label="At" hint="In your own time zone." error={error}>
          <input
            type="datetime-local"
            step="1"
            value={draft.at}
            onInput={(event) => onChange({ at: event.currentTarget.value })}
          />
        </Field>
      )}
    </fieldset>
  );
}

function CronFields({ draft, hints, error, onChange }: TriggerFieldsProps) {
  return (
    <>
      <div class="form-grid">
        <Field
          label="Expression"
          hint="Minute, hour, day of month, month, day of week; with leading seconds where there are six. Or @daily, @every 90m."
          error={error}
        >
          <input
            type="text"
            class="code"
            autoComplete="off"
            spellcheck={false}
            value={draft.expr}
            onInput={(event) => onChange({ expr: event.currentTarget.value })}
          />
        </Field>
        <Field label="Time zone" hint="An IANA name, such as Europe/Berlin.">
          <input
            type="text"
            list="zones"
            autoComplete="off"
            value={draft.timezone}
            onInput={(event) => onChange({ timezone: event.currentTarget.value })}
          />
        </Field>
        <datalist id="zones">
          {ZONES.map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
      </div>
      {hints.remarks.map((remark) => (
        <p key={remark} class="message message-warn">
          {remark}
        </p>
      ))}
      {(hints.fallsIntoGap || draft.dstGap === 'run_after') && (
        <Field label="A local time that daylight saving leaves out">
          <select
            value={draft.dstGap}
            onChange={(event) =>
              onChange({ dstGap: event.currentTarget.value === 'run_after' ? 'run_after' : 'skip' })
            }
          >
            <option value="skip">does not fire on that day</option>
            <option value="run_after">fires once, right after the gap</option>
          </select>
        </Field>
      )}
    </>
  );
}
