import { useAction } from '../state/use-action.js';
import { Dialog } from './dialog.js';
import { ErrorMessage } from './messages.js';

interface ConfirmationProps {
  readonly title: string;
  readonly text: string;
  readonly confirm: string;
  readonly onClose: () => void;
  readonly onConfirm: () => Promise<void>;
}

/** Asks whether something is really to be done, and stays open with what went wrong where it fails. */
export function Confirmation({ title, text, confirm, onClose, onConfirm }: ConfirmationProps) {
  const action = useAction();
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="stack">
        <p>{text}</p>
        <ErrorMessage error={action.error} />
        <div class="actions">
          <button
            type="button"
            class="button button-primary"
            disabled={action.isBusy}
            onClick={() => action.run(onConfirm)}
          >
            {confirm}
          </button>
          <button type="button" class="button" onClick={onClose}>
            Back
          </button>
        </div>
      </div>
    </Dialog>
  );
}
