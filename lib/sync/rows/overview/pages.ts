import { z } from 'zod';
import { badField } from '#core/errors.ts';
import { errorStatuses } from '../../model/status.ts';
import { type CountedDestination, overviewMax } from '../../records/overview/counts.ts';
import type { SeenDestination } from './view.ts';

/** By what destinations are ordered: the largest are first, and those of the same size by type and name. */
const sizes = {
  name: () => 0,
  failed: (destination) => failedAt(destination),
  pending: ({ counts }) => counts.get('PENDING') ?? 0,
  total: ({ counts }) => [...counts.values()].reduce((sum, count) => sum + count, 0),
} satisfies Readonly<Record<string, (destination: CountedDestination) => number>>;

export type Sort = keyof typeof sizes;
export const sorts = Object.keys(sizes) as readonly Sort[];

export const failedAt = ({ counts }: CountedDestination): number =>
  errorStatuses.reduce((sum, status) => sum + (counts.get(status) ?? 0), 0);

/** Where a page ends: its last destination, and the size of it in the order. */
export type Position = readonly [size: number, type: string, name: string];

interface Order {
  readonly sort: Sort;
  readonly limit?: number | undefined;
  readonly after: Position | undefined;
}

/** The destinations that a reply shows, and the position after them; null at the end. */
interface Page {
  readonly shown: readonly SeenDestination[];
  readonly after: string | null;
}

/** @param following the last destination that was read, where those after it can be asked for */
export function pageOf(
  { sort, limit, after }: Order,
  selected: readonly SeenDestination[],
  following: SeenDestination | undefined,
): Page {
  const place = ({ destination }: SeenDestination): Position => [
    sizes[sort](destination),
    destination.type,
    destination.name,
  ];
  const ordered = selected
    .map((seen) => ({ seen, at: place(seen) }))
    .filter(({ at }) => after === undefined || compared(at, after) > 0)
    .sort((a, b) => compared(a.at, b.at));
  const page = ordered.slice(0, limit ?? overviewMax);
  const last = page.length < ordered.length ? page.at(-1)?.at : following && place(following);
  return { shown: page.map(({ seen }) => seen), after: last === undefined ? null : textOf(last) };
}

function compared([size, type, name]: Position, [otherSize, otherType, otherName]: Position): number {
  if (size !== otherSize) return otherSize - size;
  const [one, other] = type === otherType ? [name, otherName] : [type, otherType];
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** Opaque to clients. */
const textOf = (position: Position): string => Buffer.from(JSON.stringify(position)).toString('base64url');

const positionCharactersMax = 4_096;
const positions = z.tuple([z.int().min(0), z.string(), z.string()]);

/** @throws AppError `bad-request` when this is no position */
export function positionOf(given: string): Position {
  const parsed = positions.safeParse(given.length > positionCharactersMax ? undefined : jsonOf(given));
  if (!parsed.success) throw badField('after', 'after is invalid: send the `after` of an earlier page');
  return parsed.data;
}

function jsonOf(given: string): unknown {
  try {
    return JSON.parse(Buffer.from(given, 'base64url').toString());
  } catch {
    return undefined;
  }
}
