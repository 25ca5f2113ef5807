import { useState } from 'preact/hooks';
import { call } from '../api/client.js';
import type { ListedSchedule } from '../api/answers.js';
import { useAction } from '../state/use-action.js';
import { ActionDialog } from './action-dialog.js';
import { Field } from './field.js';
import { JsonField } from './json-field.js';
import { readJson, writeJson } from './json-text.js';

interface RunNowDialogProps {
  readonly schedule: ListedSchedule;
  readonly onClose: () => void;
  readonly onDone: (text: string) => void;
}

const EMPTIED = 'Left empty it would run with those of the schedule: write null to run without any.';

interface Receipt {
  readonly replayed: boolean;
}

/** Fires a schedule once more, now, with other params where they are changed. */
export function RunNowDialog({ schedule, onClose, onDone }: RunNowDialogProps) {
  const { name } = schedule;
  const stored = writeJson(schedule.params);
  const [params, setParams] = useState(stored);
  const [idempotencyKey, setKey] = useState('');
  const action = useAction();
  const isPaused = !schedule.isEnabled;
  const input = readJson(params);
  const isChanged = params !== stored;
  const submit = () =>
    action.run(async () => {
      const { replayed } = await call<Receipt>('schedule/trigger_now', {
        name,
        ...(idempotencyKey === '' ? {} : { idempotencyKey }),
        ...(isChanged && input.kind === 'value' ? { params: input.value } : {}),
        ...(isPaused ? { evenIfPaused: true } : {}),
      });
      onDone(
        replayed
          ? `${name} was asked to run under this key before: nothing new was started.`
          : `${name} runs as soon as a node is free.`,
      );
    });
  return (
    <ActionDialog
      title={`Run ${name} now`}
      verb="Run now"
      isIncomplete={input.kind === 'invalid' || (isChanged && input.kind === 'none')}
      action={action}
      onSubmit={submit}
      onClose={onClose}
    >
      {isPaused && <p class="message">It is paused. Only this one run passes; the schedule stays paused.</p>}
      <JsonField
        label="Params"
        hint="JSON for this run alone. The schedule keeps its own."
        text={params}
        emptyError={isChanged ? EMPTIED : undefined}
        onText={setParams}
      />
      <Field
        label="Idempotency key (optional)"
        hint="Such as the number of a ticket. Asking again under the same key starts nothing new."
      >
        <input
          type="text"
          maxLength={500}
          value={idempotencyKey}
          onInput={(event) => setKey(event.currentTarget.value)}
        />
      </Field>
    </ActionDialog>
  );
}
