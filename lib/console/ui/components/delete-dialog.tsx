import { useState } from 'preact/hooks';
import { call } from '../api/client.js';
import type { ListedSchedule } from '../api/answers.js';
import { useAction } from '../state/use-action.js';
import { Dialog } from './dialog.js';
import { Field } from './field.js';
import { ErrorMessage } from './messages.js';

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
    <Dialog title={`Delete ${name}`} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
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
        <ErrorMessage error={action.error} />
        <div class="actions">
          <button
            type="submit"
            class="button button-danger"
            disabled={action.isBusy || typed.trim() !== name.trim()}
          >
            Delete
          </button>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}
