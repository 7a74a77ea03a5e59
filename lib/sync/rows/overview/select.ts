import { z } from 'zod';
import type { DestinationDefinition } from '#destinations/contract.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { type Input, integer, text, textList } from '#path/fields.ts';
import { recordFilter } from '../../records/filter.ts';
import type { DestinationFilter } from '../../records/overview/counts.ts';
import { failedAt, type Position, positionOf, sorts } from './pages.ts';
import type { SeenDestination } from './view.ts';

const limitMax = 1_000;
const findCharactersMax = 512;

type Holds = (seen: SeenDestination) => boolean;

/** Several may hold for a destination at the same time. */
const troubles = {
  failed: ({ destination }) => failedAt(destination) > 0,
  pending: ({ destination }) => (destination.counts.get('PENDING') ?? 0) > 0,
  paused: ({ destination }) => destination.disabled,
  unreachable: ({ gate }) => gate !== undefined && gate.circuit !== 'closed',
  purging: ({ destination }) => destination.purge_initiated_at !== null,
  drifted: ({ destination }) => destination.drifted > 0,
} satisfies Readonly<Record<string, Holds>>;

const states = {
  ...troubles,
  healthy: (seen) => !Object.values(troubles).some((holds: Holds) => holds(seen)),
} satisfies Readonly<Record<string, Holds>>;

type State = keyof typeof states;
const stateNames = Object.keys(states) as readonly State[];

/** Fields that select the destinations of an overview. */
export const selectFields = {
  type: text().optional().meta({ description: 'Only destinations of this type' }),
  name: text().optional().meta({ description: 'Only destinations of this name' }),
  find: text(findCharactersMax)
    .optional()
    .meta({ description: 'Only destinations with this in their name, in upper or lower case' }),
  state: textList()
    .pipe(z.array(z.enum(stateNames, { error: `state must be one of ${stateNames.join(', ')}` })))
    .optional()
    .meta({ description: `Only destinations in one of these states: ${stateNames.join(', ')}` }),
  sort: text()
    .pipe(z.enum(sorts, { error: `sort must be one of ${sorts.join(', ')}` }))
    .default('name')
    .meta({
      description:
        'The order: by type and `name`, or by the number of syncs that `failed`, are `pending`, or in `total`',
    }),
  limit: integer()
    .pipe(z.int().min(1, 'limit must be at least 1').max(limitMax, `limit must be at most ${limitMax}`))
    .optional()
    .meta({ description: `How many destinations a page has, at most ${limitMax}; without it, there are no pages` }),
  after: text().optional().meta({ description: 'Continue after an earlier page: its `after`, with the same fields' }),
};

/** What a request selects. */
export interface Selection extends Pick<Input<typeof selectFields>, 'sort' | 'limit'> {
  readonly filter: DestinationFilter;
  readonly states: readonly State[];
  readonly after: Position | undefined;
}

/** @throws AppError `bad-request` for an unknown type, and for a position that is none */
export function selectionOf(
  definitions: readonly DestinationDefinition[],
  { type, name, find, state, sort, limit, after }: Input<typeof selectFields>,
  { vocabulary }: Pick<RequestContext, 'vocabulary'>,
): Selection {
  const exact = recordFilter(definitions, { type, name }, vocabulary);
  const given = { type: exact.type, name: exact.name, find: find?.trim().toLowerCase() || undefined };
  const position = after === undefined || after === '' ? undefined : positionOf(after);
  return { filter: given, states: state ?? [], sort, limit, after: position };
}

/**
 * What has to be read anew where a namespace has more destinations than one reading: a part of them, or what follows a page that is
 * ordered as they are read. Undefined where the reading of all begins with what is selected.
 */
export function narrower({ filter, sort, after }: Selection): DestinationFilter | undefined {
  const from = sort === 'name' && after !== undefined ? { type: after[1], name: after[2] } : undefined;
  const narrow = { ...filter, after: from };
  return Object.values(narrow).some((value) => value !== undefined) ? narrow : undefined;
}

/** Whether a destination is selected. */
export const isSelected = ({ filter, states: wanted }: Selection, seen: SeenDestination): boolean => {
  const { type, name } = seen.destination;
  return (
    (filter.type === undefined || filter.type === type) &&
    (filter.name === undefined || filter.name === name) &&
    (filter.find === undefined || name.toLowerCase().includes(filter.find)) &&
    (wanted.length === 0 || wanted.some((state) => states[state](seen)))
  );
};
