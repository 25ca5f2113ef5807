import { useEffect, useState } from 'preact/hooks';
import type { Trigger } from '../api/answers.js';
import { ApiError, call } from '../api/client.js';
import { storeNow } from '../state/store-time.js';
import { dateTimeText, LOCAL_ZONE, relativeText, zonedText } from './texts.js';
import { triggerText } from './trigger-text.js';

/** What a trigger would do: its next fires, or why the server refuses it. */
export interface Preview {
  readonly firesUnixMs: readonly number[];
  readonly error: string | undefined;
  /** Whether it is about what is typed at this moment. */
  readonly isCurrent: boolean;
}

const DELAY_MS = 250;

interface PreviewParams {
  readonly trigger: Trigger;
  readonly startsAtUnixMs: number | undefined;
  readonly endsAtUnixMs: number | undefined;
}

/**
 * Asks the server what a trigger would do, shortly after the last key was pressed.
 *
 * @param params undefined while there is no trigger to ask about
 */
export function usePreview(params: PreviewParams | undefined): Preview {
  const [preview, setPreview] = useState<Preview>({ firesUnixMs: [], error: undefined, isCurrent: false });
  const key = JSON.stringify(params);
  useEffect(() => {
    setPreview((last) => ({ ...last, isCurrent: false }));
    if (params === undefined) {
      return;
    }
    const controller = new AbortController();
    const { signal } = controller;
    const timer = setTimeout(() => {
      call<{ readonly nextFiresUnixMs: readonly number[] }>('schedule/preview_fires', params, { signal })
        .then(({ nextFiresUnixMs }) =>
          setPreview({ firesUnixMs: nextFiresUnixMs, error: undefined, isCurrent: true }),
        )
        .catch((error: unknown) => {
          if (!signal.aborted) {
            const message = error instanceof ApiError ? error.message : String(error);
            setPreview({ firesUnixMs: [], error: message, isCurrent: true });
          }
        });
    }, DELAY_MS);
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [key]);
  return preview;
}

interface FiresPreviewProps {
  readonly trigger: Trigger | undefined;
  readonly preview: Preview;
}

/** The trigger in words, and when it would fire. */
export function FiresPreview({ trigger, preview }: FiresPreviewProps) {
  const zone = trigger?.kind === 'cron' ? (trigger.timezone ?? 'UTC') : LOCAL_ZONE;
  return (
    <section class="preview" aria-live="polite" aria-busy={!preview.isCurrent}>
      <h2>Preview</h2>
      {trigger !== undefined && preview.error === undefined && <p>{triggerText(trigger)}</p>}
      {preview.error !== undefined && <p class="field-error">{preview.error}</p>}
      {preview.isCurrent && preview.error === undefined && preview.firesUnixMs.length === 0 && (
        <p>It would never fire.</p>
      )}
      <ol class={preview.isCurrent ? 'lines' : 'lines stale'}>
        {preview.firesUnixMs.map((at) => (
          <li key={at}>
            <span>{dateTimeText(at)}</span>
            <span class="row-detail">
              {zone === LOCAL_ZONE ? '' : `${zonedText(at, zone)} · `}
              {relativeText(at, storeNow())}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
