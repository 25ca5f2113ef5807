import { useState } from 'preact/hooks';
import { Field } from '../components/field.js';
import { FiresPreview, usePreview } from '../components/fires-preview.js';
import { JsonField } from '../components/json-field.js';
import { instantOf } from '../components/local-instant.js';
import { ErrorMessage } from '../components/messages.js';
import { hintsFor } from '../components/trigger-hints.js';
import type { Trigger } from '../api/answers.js';
import { useAction } from '../state/use-action.js';
import { PolicyFields } from './policy-fields.js';
import { type Draft, DraftError, triggerOfDraft } from './schedule-draft.js';
import { TriggerFields } from './trigger-fields.js';

interface ScheduleFormProps {
  readonly initial: Draft;
  readonly jobs: readonly string[];
  readonly isNew: boolean;
  /** Rejects with what the server says. */
  readonly onSave: (draft: Draft) => Promise<void>;
  readonly cancelHref: string;
}

/** Writes a schedule, and shows as one types what it would do. */
export function ScheduleForm({ initial, jobs, isNew, onSave, cancelHref }: ScheduleFormProps) {
  const [draft, setDraft] = useState(initial);
  const action = useAction();
  const change = (changes: Partial<Draft>) => setDraft((last) => ({ ...last, ...changes }));
  const trigger = triggerFrom(draft);
  const startsAtUnixMs = instantOf(draft.startsAt);
  const endsAtUnixMs = instantOf(draft.endsAt);
  const preview = usePreview(
    trigger.made === undefined
      ? undefined
      : {
          trigger: trigger.made,
          ...(startsAtUnixMs === undefined ? {} : { startsAtUnixMs }),
          ...(endsAtUnixMs === undefined ? {} : { endsAtUnixMs }),
        },
  );
  const triggerError = trigger.error ?? preview.error;
  const errorOf = (field: keyof Draft) =>
    action.error instanceof DraftError && action.error.field === field ? action.error.message : undefined;
  return (
    <form
      class="stack form-page"
      onSubmit={(event) => {
        event.preventDefault();
        action.run(() => onSave(draft));
      }}
    >
      <div class="form-grid">
        <Field label="Name" hint={isNew ? 'Unique, up to 128 characters.' : 'Another name renames it.'}>
          <input
            type="text"
            required
            maxLength={128}
            value={draft.name}
            onInput={(event) => change({ name: event.currentTarget.value })}
          />
        </Field>
        <Field label="Job" hint={jobs.length === 0 ? 'No node registers a job: start one.' : 'What it runs.'}>
          <select
            required
            value={draft.jobName}
            onChange={(event) => change({ jobName: event.currentTarget.value })}
          >
            {[...new Set([...jobs, ...(draft.jobName === '' ? [] : [draft.jobName])])].map((job) => (
              <option key={job} value={job}>
                {job}
              </option>
            ))}
          </select>
        </Field>
      </div>
      <TriggerFields
        draft={draft}
        hints={trigger.made === undefined ? { remarks: [], fallsIntoGap: false } : hintsFor(trigger.made)}
        error={triggerError}
        onChange={change}
      />
      <FiresPreview trigger={trigger.made} preview={preview} />
      <JsonField
        label="Params"
        hint="JSON, delivered to the job as it is. Empty: none."
        text={draft.params}
        onText={(params) => change({ params })}
      />
      <PolicyFields draft={draft} errorOf={errorOf} onChange={change} />
      {isNew && (
        <label class="check">
          <input
            type="checkbox"
            checked={draft.enabled}
            onChange={(event) => change({ enabled: event.currentTarget.checked })}
          />
          Enabled: it fires from now on
        </label>
      )}
      <ErrorMessage error={action.error} />
      <div class="actions">
        <button type="submit" class="button button-primary" disabled={action.isBusy}>
          {isNew ? 'Create schedule' : 'Save changes'}
        </button>
        <a class="button" href={cancelHref}>
          Cancel
        </a>
      </div>
    </form>
  );
}

/** The trigger that a draft makes, or why it makes none. */
function triggerFrom(draft: Draft): { readonly made?: Trigger; readonly error?: string } {
  try {
    return { made: triggerOfDraft(draft) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
