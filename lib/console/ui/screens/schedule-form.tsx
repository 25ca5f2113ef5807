import { useState } from 'preact/hooks';
import { Field } from '../components/field.js';
import { FiresPreview, usePreview } from '../components/fires-preview.js';
import { JsonField } from '../components/json-field.js';
import { ErrorMessage } from '../components/messages.js';
import { hintsFor } from '../components/trigger-hints.js';
import type { ListedSchedule } from '../api/answers.js';
import { useMay } from '../state/access.js';
import { useAction } from '../state/use-action.js';
import { PolicyFields } from './policy-fields.js';
import { type Draft, DraftError, type Timing, timingOf } from './schedule-draft.js';
import { TriggerFields } from './trigger-fields.js';

interface ScheduleFormProps {
  readonly initial: Draft;
  readonly jobs: readonly string[];
  /** What is edited; absent where it is new. */
  readonly stored?: ListedSchedule;
  /** Rejects with what the server says. */
  readonly onSave: (draft: Draft) => Promise<void>;
  readonly cancelHref: string;
}

/** Writes a schedule, and shows as one types what it would do. */
export function ScheduleForm({ initial, jobs, stored, onSave, cancelHref }: ScheduleFormProps) {
  const isNew = stored === undefined;
  const may = useMay();
  const [draft, setDraft] = useState(initial);
  const action = useAction();
  const change = (changes: Partial<Draft>) => setDraft((last) => ({ ...last, ...changes }));
  const { timing, error } = timingFrom(draft, stored);
  const mayPreview = may('schedule/preview_fires');
  const preview = usePreview(mayPreview && timing !== undefined ? previewed(timing, stored) : undefined);
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
        <Field
          label="Job"
          hint={jobs.length === 0 && isNew ? 'No node registers a job: start one.' : 'What it runs.'}
        >
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
        hints={timing === undefined ? { remarks: [], fallsIntoGap: false } : hintsFor(timing.trigger)}
        error={error ?? preview.error}
        onChange={change}
      />
      {mayPreview && <FiresPreview trigger={timing?.trigger} preview={preview} />}
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

/** When a draft fires, or why it does not say. */
function timingFrom(
  draft: Draft,
  stored: ListedSchedule | undefined,
): { readonly timing?: Timing; readonly error?: string } {
  try {
    return { timing: timingOf(draft, stored) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

/** What the API shows the fires of: a fixed rate that is edited keeps its phase, which a new one begins at its start. */
function previewed(timing: Timing, stored: ListedSchedule | undefined): Timing {
  if (stored === undefined || timing.trigger.kind !== 'interval') {
    return timing;
  }
  const { startsAtUnixMs } = timing;
  return {
    ...timing,
    startsAtUnixMs:
      startsAtUnixMs === stored.startsAtUnixMs
        ? stored.anchorAtUnixMs
        : (startsAtUnixMs ?? stored.createdAtUnixMs),
  };
}
