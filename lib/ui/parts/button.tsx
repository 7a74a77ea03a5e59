import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
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

/** While the work of a press goes on, further presses do nothing. */
export function Button({ children, look, icon, small, refusal, type = 'button', label, onPress }: ButtonProps) {
  const [busy, setBusy] = useState(false);
  const press = async (event: Event) => {
    if (refusal !== undefined || busy) {
      event.preventDefault();
      if (refusal !== undefined) say('fail', refusal);
      return;
    }
    setBusy(true);
    await Promise.resolve(onPress?.()).finally(() => setBusy(false));
  };
  return (
    <button
      type={type}
      class={['button', look, small === true ? 'small' : ''].filter(Boolean).join(' ')}
      aria-disabled={refusal !== undefined || busy ? 'true' : undefined}
      aria-label={label}
      title={refusal}
      onClick={press}
    >
      {icon === undefined ? null : <Icon name={icon} />}
      {children}
    </button>
  );
}

export const LinkButton = ({
  href,
  children,
  icon,
  look,
  small,
}: Pick<ButtonProps, 'children' | 'icon' | 'look' | 'small'> & { readonly href: string }) => (
  <a href={href} class={['button', look, small === true ? 'small' : ''].filter(Boolean).join(' ')}>
    {icon === undefined ? null : <Icon name={icon} />}
    {children}
  </a>
);
