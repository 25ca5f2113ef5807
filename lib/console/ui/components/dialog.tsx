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
    const opener = document.activeElement;
    element.current?.showModal();
    return () => {
      // Once the page is no longer inert, which it is as long as the dialog is being taken away.
      setTimeout(() => {
        if (opener instanceof HTMLElement && opener.isConnected) {
          opener.focus();
        }
      });
    };
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
      onClose={() => {
        // The browser closes it without asking where Escape is pressed again.
        if (onClose === undefined) {
          element.current?.showModal();
        } else {
          onClose();
        }
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
