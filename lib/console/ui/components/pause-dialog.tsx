import { useState } from 'preact/hooks';
import { call } from '../api/client.js';
import { useAction } from '../state/use-action.js';
import { ActionDialog } from './action-dialog.js';
import { Field } from './field.js';
import { instantOf } from './local-instant.js';

interface PauseDialogProps {
  readonly name: string;
  readonly onClose: () => void;
  readonly onDone: (text: string) => void;
}

/** Stops a schedule from firing, and asks why, for whoever wonders later. */
export function PauseDialog({ name, onClose, onDone }: PauseDialogProps) {
  const [note, setNote] = useState('');
  const [until, setUntil] = useState('');
  const action = useAction();
  const untilUnixMs = instantOf(until);
  const submit = () =>
    action.run(async () => {
      await call('schedule/pause', {
        name,
        ...(note.trim() === '' ? {} : { note: note.trim() }),
        ...(untilUnixMs === undefined ? {} : { untilUnixMs }),
      });
      onDone(`${name} is paused.`);
    });
  return (
    <ActionDialog title={`Pause ${name}`} verb="Pause" action={action} onSubmit={submit} onClose={onClose}>
      <p>It stops firing. A run that is running now goes on.</p>
      <Field label="Reason" hint="Shown with the schedule, and kept in its audit trail.">
        <input
          type="text"
          maxLength={500}
          value={note}
          onInput={(event) => setNote(event.currentTarget.value)}
        />
      </Field>
      <Field label="Until (optional)" hint="Then it resumes by itself. Empty: until somebody resumes it.">
        <input type="datetime-local" value={until} onInput={(event) => setUntil(event.currentTarget.value)} />
      </Field>
    </ActionDialog>
  );
}
