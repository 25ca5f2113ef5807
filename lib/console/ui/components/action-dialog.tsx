import type { ComponentChildren } from 'preact';
import type { Action } from '../state/use-action.js';
import { Dialog } from './dialog.js';
import { ErrorMessage } from './messages.js';

interface ActionDialogProps {
  readonly title: string;
  /** What its first button says. */
  readonly verb: string;
  readonly isDangerous?: boolean;
  /** Whether what was entered will not do yet. */
  readonly isIncomplete?: boolean;
  readonly action: Action;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** Asks for what an action needs, and stays open with what went wrong where it fails. */
export function ActionDialog(props: ActionDialogProps) {
  const {
    title,
    verb,
    isDangerous = false,
    isIncomplete = false,
    action,
    onSubmit,
    onClose,
    children,
  } = props;
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
      >
        {children}
        <ErrorMessage error={action.error} />
        <div class="actions">
          <button
            type="submit"
            class={isDangerous ? 'button button-danger' : 'button button-primary'}
            disabled={action.isBusy || isIncomplete}
          >
            {verb}
          </button>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}
