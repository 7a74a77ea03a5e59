import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from './icon.tsx';

type Kind = 'ok' | 'fail';

interface Toast {
  readonly id: number;
  readonly kind: Kind;
  readonly text: string;
}

const toasts = signal<readonly Toast[]>([]);
/** Long enough to be read; a failure stays longer. */
const shownMs: Readonly<Record<Kind, number>> = { ok: 5_000, fail: 12_000 };
const toastsMax = 4;
let last = 0;

/** Says what became of something, and reads it out. */
export function say(kind: Kind, text: string): void {
  last += 1;
  const id = last;
  toasts.value = [...toasts.value.filter((one) => one.text !== text), { id, kind, text }].slice(-toastsMax);
  setTimeout(() => {
    toasts.value = toasts.value.filter((one) => one.id !== id);
  }, shownMs[kind]);
}

/** A popover, so that it is above dialogs too. */
export function Toasts() {
  const box = useRef<HTMLDivElement>(null);
  const shown = toasts.value;
  useEffect(() => {
    if (shown.length === 0) return;
    box.current?.hidePopover();
    box.current?.showPopover();
  }, [shown]);
  return (
    <div class="toasts" popover="manual" ref={box} role="status" aria-live="polite">
      {shown.map(({ id, kind, text }) => (
        <div key={id} class={`toast ${kind}`}>
          <Icon name={kind === 'ok' ? 'done' : 'alert'} size={18} />
          <span class="wrap">{text}</span>
        </div>
      ))}
    </div>
  );
}
