import type { ComponentChildren } from 'preact';
import type { Polled } from '../state/use-polled.js';
import { dismiss, useNotices } from '../state/notices.js';

/** What went wrong, as the server says it. */
export function ErrorMessage({ error }: { readonly error: Error | undefined }) {
  return error === undefined ? null : (
    <p class="message message-error" role="alert">
      {error.message}
    </p>
  );
}

interface EmptyProps {
  readonly title: string;
  readonly children?: ComponentChildren;
}

/** That there is nothing, and what to do about it. */
export function Empty({ title, children }: EmptyProps) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children !== undefined && <div class="empty-advice">{children}</div>}
    </div>
  );
}

/** The same as a screen of its own. */
export function EmptyScreen({ title, children }: EmptyProps) {
  return (
    <div class="empty">
      <h1 class="empty-title">{title}</h1>
      <div class="empty-advice">{children}</div>
    </div>
  );
}

interface LoadedProps<Data> {
  readonly polled: Polled<Data>;
  readonly children: (data: Data) => ComponentChildren;
}

/** What was read, or that it is on its way; and, above it, that it may be out of date. */
export function Loaded<Data>({ polled, children }: LoadedProps<Data>) {
  const { data, error, reload } = polled;
  return (
    <>
      {error !== undefined && (
        <div class="message message-error" role="alert">
          <p>{error.message}</p>
          <button type="button" class="button-small" onClick={reload}>
            Try again
          </button>
        </div>
      )}
      {data === undefined
        ? error === undefined && (
            <p class="loading" role="status">
              Loading…
            </p>
          )
        : children(data)}
    </>
  );
}

/** Tells what was done, to the eye and to screen readers. */
export function Notices() {
  return (
    <div class="notices" role="status" aria-live="polite">
      {useNotices().map(({ id, text, isError }) => (
        <p key={id} class={isError ? 'notice notice-error' : 'notice'}>
          <span>{text}</span>
          <button type="button" class="button-quiet" aria-label="Dismiss" onClick={() => dismiss(id)}>
            ✕
          </button>
        </p>
      ))}
    </div>
  );
}
