import { Field } from '../components/field.js';
import type { Draft } from './schedule-draft.js';

interface PolicyFieldsProps {
  readonly draft: Draft;
  readonly errorOf: (field: keyof Draft) => string | undefined;
  readonly onChange: (changes: Partial<Draft>) => void;
}

/** What becomes of fires that are late, overlap, fail or take too long, and within which time there are any. */
export function PolicyFields({ draft, errorOf, onChange }: PolicyFieldsProps) {
  return (
    <details>
      <summary class="legend">Policies and bounds</summary>
      <div class="form-grid policy-fields">
        <Field label="When it is late">
          <select
            value={draft.misfirePolicy}
            onChange={(event) => onChange({ misfirePolicy: event.currentTarget.value })}
          >
            <option value="fire_now">fire once, now</option>
            <option value="skip">skip what was missed</option>
            <option value="backfill">fire everything that was missed</option>
          </select>
        </Field>
        {draft.misfirePolicy === 'backfill' && (
          <Field
            label="But at most"
            hint="The most recent. Empty: every one."
            error={errorOf('backfillLimit')}
          >
            <input
              type="text"
              inputMode="numeric"
              value={draft.backfillLimit}
              onInput={(event) => onChange({ backfillLimit: event.currentTarget.value })}
            />
          </Field>
        )}
        <Field label="While it is still running">
          <select
            value={draft.concurrencyPolicy}
            onChange={(event) => onChange({ concurrencyPolicy: event.currentTarget.value })}
          >
            <option value="forbid">skip the next fire</option>
            <option value="queue">let one fire wait</option>
            <option value="allow">run both</option>
            <option value="replace">stop the running one</option>
          </select>
        </Field>
        <Field label="Attempts of a failing run" hint="Empty: one." error={errorOf('maxAttempts')}>
          <input
            type="text"
            inputMode="numeric"
            value={draft.maxAttempts}
            onInput={(event) => onChange({ maxAttempts: event.currentTarget.value })}
          />
        </Field>
        {draft.maxAttempts.trim() !== '' && (
          <Field
            label="Wait before the second"
            hint="Longer before each further one."
            error={errorOf('backoff')}
          >
            <input
              type="text"
              value={draft.backoff}
              onInput={(event) => onChange({ backoff: event.currentTarget.value })}
            />
          </Field>
        )}
        <Field label="Timeout of a run" hint="Such as 10m. Empty: the default." error={errorOf('timeout')}>
          <input
            type="text"
            value={draft.timeout}
            onInput={(event) => onChange({ timeout: event.currentTarget.value })}
          />
        </Field>
        <Field label="Not before" hint="In your own time zone; also the phase of a fixed rate.">
          <input
            type="datetime-local"
            step="1"
            value={draft.startsAt}
            onInput={(event) => onChange({ startsAt: event.currentTarget.value })}
          />
        </Field>
        <Field label="Not after">
          <input
            type="datetime-local"
            step="1"
            value={draft.endsAt}
            onInput={(event) => onChange({ endsAt: event.currentTarget.value })}
          />
        </Field>
        <label class="check">
          <input
            type="checkbox"
            checked={draft.recover}
            onChange={(event) => onChange({ recover: event.currentTarget.checked })}
          />
          Fire again what a crash or a shutdown interrupted
        </label>
      </div>
    </details>
  );
}
