import { useState } from 'preact/hooks';
import { call } from '../api/client.js';
import type { ListedSchedule } from '../api/answers.js';
import { useAction } from '../state/use-action.js';
import { ActionDialog } from './action-dialog.js';
import { Field } from './field.js';

interface DeleteDialogProps {
  readonly schedule: ListedSchedule;
  readonly onClose: () => void;
  readonly onDone: (text: string) => void;
}

/** Deletes a schedule, once its name was typed: nothing brings it back. */
export function DeleteDialog({ schedule: { name, version }, onClose, onDone }: DeleteDialogProps) {
  const [typed, setTyped] = useState('');
  const action = useAction();
  const submit = () =>
    action.run(async () => {
      await call('schedule/delete', { name, expectedVersion: version });
      onDone(`${name} is deleted.`);
    });
  return (
    <ActionDialog
      title={`Delete ${name}`}
      verb="Delete"
      isDangerous
      isIncomplete={typed.trim() !== name.trim()}
      action={action}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>
        It never fires again, and nothing brings it back. Its runs stay in the journal. To stop it for a
        while, pause it instead.
      </p>
      <Field label="Type its name to confirm" hint={<code>{name}</code>}>
        <input
          type="text"
          autoComplete="off"
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      </Field>
    </ActionDialog>
  );
}
