import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Icon } from './icon.tsx';

interface DialogProps {
  readonly title: string;
  readonly kind?: 'modal' | 'drawer';
  readonly children: ComponentChildren;
  readonly onClose: () => void;
}

/** Is there while it is open. The browser keeps the focus in it and gives it back. */
export function Dialog({ title, kind = 'modal', children, onClose }: DialogProps) {
  const box = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const dialog = box.current;
    if (dialog !== null && !dialog.open) dialog.showModal();
    return () => dialog?.close();
  }, []);
  /** A press that begins inside, such as the selection of a text, and ends beside the box closes nothing. */
  const isBeside = useRef(false);
  const onPointerDown = (event: Event) => {
    isBeside.current = event.target === box.current;
  };
  const onClick = (event: Event) => {
    if (event.target === box.current && isBeside.current) onClose();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it, by the browser
    <dialog
      ref={box}
      class={kind}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onPointerDown={onPointerDown}
      onClick={onClick}
    >
      <div class="box">
        <div class="title">
          <h2 id={heading} class="wrap">
            {title}
          </h2>
          <button type="button" class="button plain small" aria-label="Close" onClick={onClose}>
            <Icon name="close" />
          </button>
        </div>
        {children}
      </div>
    </dialog>
  );
}
