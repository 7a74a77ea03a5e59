import { type ComponentChildren, createContext, type RefObject } from 'preact';
import { useRef, useState } from 'preact/hooks';

interface FormProps {
  readonly class?: string | undefined;
  /** The browser checks nothing: the page or the server says what is wrong. */
  readonly noValidate?: boolean | undefined;
  readonly box?: RefObject<HTMLFormElement | null> | undefined;
  readonly onSubmit: (event: Event) => unknown;
  readonly children: ComponentChildren;
}

/** Whether the work of the form around goes on. */
export const Submitting = createContext(false);

/** A form that is sent once: while its work goes on, further presses and Enter do nothing. */
export function Form({ class: look, noValidate, box, onSubmit, children }: FormProps) {
  const isBusy = useRef(false);
  const [isShownBusy, setShownBusy] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (isBusy.current) return;
    isBusy.current = true;
    setShownBusy(true);
    try {
      await onSubmit(event);
    } finally {
      isBusy.current = false;
      setShownBusy(false);
    }
  };
  return (
    <form class={look} ref={box ?? null} onSubmit={submit} noValidate={noValidate}>
      <Submitting.Provider value={isShownBusy}>{children}</Submitting.Provider>
    </form>
  );
}
