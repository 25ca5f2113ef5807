import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

interface DialogProps {
  readonly title: string;
  /** Absent: it cannot be left without doing what it asks for. */
  readonly onClose?: (() => void) | undefined;
  readonly isWide?: boolean;
  readonly children: ComponentChildren;
}

/** A modal dialog: the browser keeps the focus in it, and Escape closes it. */
export function Dialog({ title, onClose, isWide = false, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    // Closed before it is taken away, it gives the focus back to where it came from.
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={element}
      class={isWide ? 'dialog dialog-wide' : 'dialog'}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
    >
      <header class="dialog-header">
        <h2 id={titleId}>{title}</h2>
        {onClose !== undefined && (
          <button type="button" class="button-quiet" aria-label="Close" onClick={onClose}>
            ✕
          </button>
        )}
      </header>
      {children}
    </dialog>
  );
}
