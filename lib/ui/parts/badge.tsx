import { Icon, type IconName } from './icon.tsx';
import { type Look, lookOf } from './words.ts';

export const Badge = ({
  tone,
  icon,
  word,
}: {
  readonly tone: Look['tone'];
  readonly icon: IconName;
  readonly word: string;
}) => (
  <span class={`badge ${tone}`}>
    <Icon name={icon} size={14} />
    {word}
  </span>
);

/** A status as icon, word and colour. */
export const StatusBadge = ({ status }: { readonly status: string }) => <Badge {...lookOf(status)} />;
