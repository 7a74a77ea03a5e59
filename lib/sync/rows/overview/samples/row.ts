import { z } from 'zod';
import type { Reply, ReplyWith } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { duration, type Input, text } from '#path/fields.ts';
import { destinationsMax } from '#sync/records/destinations.ts';
import { recordFilter, recordFilterFields } from '#sync/records/filter.ts';
import { type Places, type SampleRange, sampledPlaces } from '#sync/samples/places.ts';
import { readSamples } from '#sync/samples/read.ts';
import { slotSeconds, spanSeconds } from '#sync/samples/slots.ts';
import type { SyncParts } from '../../parts.ts';
import { readableOf } from '../../rights/readable.ts';
import { mayBeKnown, tagged, versioned } from '../tagged.ts';
import { pointsMax, rangeOf } from './range.ts';
import { samplesView } from './view.ts';

const timeCharactersMax = 64;
const stepSecondsMax = 86_400;

const fields = {
  type: recordFilterFields.type,
  name: recordFilterFields.name,
  from: text(timeCharactersMax)
    .default('-1h')
    .meta({ description: 'The begin: a time before now such as `-1h`, or an RFC 3339 time' }),
  to: text(timeCharactersMax).default('now').meta({ description: 'The end, in the same form, or `now`' }),
  step: duration()
    .pipe(
      z
        .int()
        .min(slotSeconds, `step must be at least ${slotSeconds} seconds`)
        .max(stepSecondsMax, `step must be at most ${stepSecondsMax} seconds`)
        .multipleOf(slotSeconds, `step must be a multiple of ${slotSeconds} seconds`),
    )
    .optional()
    .meta({
      description: `The time between two points, in seconds, a multiple of ${slotSeconds}; at most ${pointsMax} points. Without it, a step that suits the range: above two hours, whole steps of ${spanSeconds} seconds`,
    }),
};

/** The row `sys/sync/samples`. */
export const samplesRow = (parts: SyncParts): Row => ({
  pattern: 'sync/samples',
  help: 'Shows how the syncs fared over the last day, for charts: pending changes and the age of the oldest, changes that arrived, attempts and their errors, in steps, and in all by type and destination. Destinations whose associations the caller may not read are left out.',
  operations: {
    read: operation(fields, {
      summary: 'Read how the syncs fared over the last day',
      knownFieldsOnly: true,
      replies: mayBeKnown,
      run: (input, context) => read(parts, input, context),
    }),
  },
});

type ReadContext = Pick<RequestContext, 'namespace' | 'vocabulary' | 'warn' | 'mustBeAllowed' | 'caller' | 'headers'>;

async function read(
  parts: SyncParts,
  input: Input<typeof fields>,
  context: ReadContext,
): Promise<Reply | ReplyWith<304>> {
  const { store, clock, definitions } = parts;
  const { namespace, vocabulary } = context;
  const { type, name } = recordFilter(definitions, { type: input.type, name: input.name }, vocabulary);
  const { from, to, stepSeconds } = rangeOf(input, clock.now());
  const range = { namespaceId: namespace.id, from, to, type, name };
  const rows = await readSamples(store, range, stepSeconds, await placesOf(parts, range, context));
  const view = samplesView(definitions, rows, { vocabulary, withQueue: namespace.path === '' });
  return tagged(versioned({ from: from.toISOString(), to: to.toISOString(), step: stepSeconds, ...view }), context);
}

/**
 * What the caller may read; undefined: everything. The destinations of a type that the samples do not name count for callers who may read all
 * destinations of the type.
 */
async function placesOf({ store }: SyncParts, range: SampleRange, context: ReadContext): Promise<Places | undefined> {
  if (context.caller?.root === true) return undefined;
  const found = await sampledPlaces(store, range);
  if (found.length > destinationsMax) context.warn(`only ${destinationsMax} destinations are looked at`);
  const places = found.slice(0, destinationsMax);
  const readable = await readableOf(context, places);
  if (found.length > destinationsMax) return { types: [], single: readable };
  const open = new Set(readable);
  const hidden = new Set(places.filter((place) => !open.has(place)).map(({ type }) => type));
  return {
    types: [...new Set(readable.map(({ type }) => type))].filter((type) => !hidden.has(type)),
    single: readable.filter(({ type }) => hidden.has(type)),
  };
}
