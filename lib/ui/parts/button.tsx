import type { ComponentChildren } from 'preact';
import { useContext, useRef, useState } from 'preact/hooks';
import { Submitting } from './form.tsx';
import { Icon, type IconName } from './icon.tsx';
import { say } from './toast.tsx';

interface ButtonProps {
  readonly children: ComponentChildren;
  readonly look?: 'primary' | 'danger' | 'plain' | undefined;
  readonly icon?: IconName | undefined;
  readonly small?: boolean | undefined;
  /** Why it may not be used now. The button stays in reach and says so. */
  readonly refusal?: string | undefined;
  readonly type?: 'button' | 'submit' | undefined;
  readonly label?: string | undefined;
  readonly onPress?: (() => unknown) | undefined;
}

/** While the work of a press goes on, further presses do nothing. That of a submit button is the work of its form. */
export function Button({ children, look, icon, small, refusal, type = 'button', label, onPress }: ButtonProps) {
  const isBusy = useRef(false);
  const [isShownBusy, setShownBusy] = useState(false);
  const isSubmitting = useContext(Submitting) && type === 'submit';
  const press = async (event: Event) => {
    if (refusal !== undefined || isBusy.current || isSubmitting) {
      event.preventDefault();
      if (refusal !== undefined) say('fail', refusal);
      return;
    }
    if (onPress === undefined) return;
    isBusy.current = true;
    setShownBusy(true);
    try {
      await onPress();
    } finally {
      isBusy.current = false;
      setShownBusy(false);
    }
  };
  return (
    <button
      type={type}
      class={['button', look, small === true ? 'small' : ''].filter(Boolean).join(' ')}
      aria-disabled={refusal !== undefined || isShownBusy || isSubmitting ? 'true' : undefined}
      aria-label={label}
      title={refusal}
      onClick={press}
    >
      {icon === undefined ? null : <Icon name={icon} />}
      {children}
    </button>
  );
}

type LinkProps = Pick<ButtonProps, 'children' | 'icon' | 'look' | 'small' | 'refusal'> & { readonly href: string };

/** A link that looks like a button. Where it may not be followed, it is a button that says why. */
export function LinkButton({ href, refusal, ...shown }: LinkProps) {
  const { children, icon, look, small } = shown;
  if (refusal !== undefined) return <Button {...shown} refusal={refusal} />;
  return (
    <a href={href} class={['button', look, small === true ? 'small' : ''].filter(Boolean).join(' ')}>
      {icon === undefined ? null : <Icon name={icon} />}
      {children}
    </a>
  );
}
