import { Icon, type IconName } from '../../parts/icon.tsx';
import { count, relative } from '../../parts/relative.ts';

interface TileProps {
  readonly name: string;
  readonly icon: IconName;
  readonly value: number | string;
  readonly tone?: 'ok' | 'wait' | 'fail' | undefined;
  readonly href?: string;
  readonly since?: string;
  readonly more: string;
}

/** One number, with what it means. */
export function Tile({ name, icon, value, tone, href, since = '', more }: TileProps) {
  const inside = (
    <>
      <span class="name">
        <Icon name={icon} />
        {name}
      </span>
      <span class="value">{typeof value === 'number' ? count(value) : value}</span>
      <span class="more">{since === '' ? more : `Oldest ${relative(Date.parse(since) - Date.now())}`}</span>
    </>
  );
  const look = `card tile ${tone ?? ''}`;
  return href === undefined ? (
    <div class={look}>{inside}</div>
  ) : (
    <a class={look} href={href}>
      {inside}
    </a>
  );
}
