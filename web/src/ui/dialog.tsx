// A modal dialog: the browser's own, so that focus stays inside, Escape closes it, and focus comes back afterwards.
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { IconButton } from "./button";

interface DialogProps {
  title: string;
  /** Called for Escape, the cross and a click beside it. */
  onClose: () => void;
  children: ComponentChildren;
  /** The buttons at the end; the one that matters last. */
  actions?: ComponentChildren;
  size?: "small" | "medium" | "wide";
}

export function Dialog({ title, onClose, children, actions, size = "small" }: DialogProps) {
  const box = useRef<HTMLDialogElement>(null);
  const id = useId();
  // At once: what is typed next is for the dialog.
  useLayoutEffect(() => {
    const dialog = box.current!;
    const before = document.activeElement;
    dialog.showModal();
    // Not the cross: a field to write in, or the first of the choices.
    dialog.querySelector<HTMLElement>(".dialog-body input, .dialog-actions button")?.focus();
    return () => {
      dialog.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={box}
      class={`dialog ${size}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onMouseDown={(event) => {
        if (event.target === box.current) onClose();
      }}
    >
      <div class="dialog-inside">
        <header class="dialog-head">
          <h2 id={id}>{title}</h2>
          <IconButton label="Close" icon="close" onClick={onClose} />
        </header>
        <div class="dialog-body">{children}</div>
        {actions && <footer class="dialog-actions">{actions}</footer>}
      </div>
    </dialog>
  );
}
