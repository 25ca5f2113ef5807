import { useState } from 'preact/hooks';
import { useAction } from '../state/use-action.js';
import { ActionDialog } from './action-dialog.js';
import { Field } from './field.js';
import { instantOf } from './local-instant.js';

/** What is said of a pause or a hold. */
export interface SuspensionTerms {
  readonly note?: string;
  readonly untilUnixMs?: number;
}

interface SuspensionDialogProps {
  readonly title: string;
  readonly verb: string;
  /** What it does, in sentences. */
  readonly explanation: string;
  readonly onClose: () => void;
  /** Rejects with what the server says. */
  readonly onSuspend: (terms: SuspensionTerms) => Promise<void>;
}

/** Keeps something from firing, and asks why, for whoever wonders later. */
export function SuspensionDialog({ title, verb, explanation, onClose, onSuspend }: SuspensionDialogProps) {
  const [note, setNote] = useState('');
  const [until, setUntil] = useState('');
  const action = useAction();
  const untilUnixMs = instantOf(until);
  const submit = () =>
    action.run(() =>
      onSuspend({
        ...(note.trim() === '' ? {} : { note: note.trim() }),
        ...(untilUnixMs === undefined ? {} : { untilUnixMs }),
      }),
    );
  return (
    <ActionDialog title={title} verb={verb} action={action} onSubmit={submit} onClose={onClose}>
      <p>{explanation}</p>
      <Field label="Reason" hint="Shown to whoever looks, and kept in the audit trail.">
        <input
          type="text"
          maxLength={500}
          value={note}
          onInput={(event) => setNote(event.currentTarget.value)}
        />
      </Field>
      <Field label="Until (optional)" hint="Then it ends by itself. Empty: when somebody ends it.">
        <input type="datetime-local" value={until} onInput={(event) => setUntil(event.currentTarget.value)} />
      </Field>
    </ActionDialog>
  );
}
