import { z } from 'zod';
import { badField } from '#core/errors.ts';
import type { DestinationDefinition } from '#destinations/contract.ts';
import type { Reply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { type Input, integer, pathText, text } from '#path/fields.ts';
import type { Store } from '#store/store.ts';
import { askWorker } from '../../ask/ask.ts';
import { type ForeignPlace, placeShape } from '../../ask/foreign/found.ts';
import { foreignOf } from '../../ask/question.ts';
import { templateOf } from '../../template/naming.ts';
import { prefixOf } from '../../template/prefix.ts';
import type { SyncParts } from '../parts.ts';
import { loadDestination } from './store.ts';
import { keyOf } from './unstored.ts';
import type { DestinationRecord } from './view.ts';

const limitMax = 500;

const pageFields = {
  limit: integer()
    .pipe(z.int().min(1, 'limit must be at least 1').max(limitMax, `limit must be at most ${limitMax}`))
    .default(100)
    .meta({ description: `How many objects a page has at most, up to ${limitMax}` }),
  after: text().optional().meta({ description: 'Continue after an earlier page: its `after`' }),
};

/** The row `sys/sync/destinations/<type>/:name/foreign` of one type. */
export function foreignRow(parts: SyncParts, definition: DestinationDefinition): Row {
  return {
    pattern: `sync/destinations/${definition.type}/:name/foreign`,
    help: `Shows the objects at a destination in ${definition.title} that begin with the prefix of its name template but are held by no association, page by page. A worker of the type lists the destination by reading calls only and reads no values.`,
    operations: {
      read: operation(
        { name: pathText('Name of the destination'), ...pageFields },
        {
          summary: 'List the objects of a destination that the sync does not hold',
          knownFieldsOnly: true,
          async run(input, context) {
            const record = await loadDestination(parts.store, parts.store.db, keyOf(definition, input.name, context));
            return record === undefined ? undefined : foreign(parts, definition, record, input, context);
          },
        },
      ),
    },
  };
}

async function foreign(
  parts: SyncParts,
  definition: DestinationDefinition,
  { id, connection, network, rateGroup, template, granularity }: DestinationRecord,
  { limit, after }: Input<typeof pageFields>,
  context: RequestContext,
): Promise<Reply> {
  const prefix = definition.names.normalise(prefixOf(templateOf(definition, template, granularity)));
  const from = after === undefined || after === '' ? beginning : placeIn(parts.store, id, after);
  const settings = { namespaceId: context.namespace.id, connection, network, rateGroup, destinationId: id };
  const question = { kind: 'foreign' as const, ...settings, prefix, limit, from };
  const found = foreignOf(await askWorker(parts, definition.type, question, context.signal));
  return {
    data: {
      prefix,
      objects: found.foreign,
      listed: found.listed,
      after: found.next === undefined ? null : cursorOf(parts.store, id, found.next),
    },
  };
}

const beginning: ForeignPlace = { page: null, skip: 0 };

type Barrier = Pick<Store, 'barrier'>;

/** Sealed, because a driver sends the place in the system's list to the system as it is. */
const cursorOf = ({ barrier }: Barrier, destinationId: string, place: ForeignPlace): string =>
  barrier.seal(JSON.stringify(place), `foreign/${destinationId}`).toString('base64url');

const cursorCharactersMax = 16_384;

/** @throws AppError `bad-request` when this is no cursor of the destination */
function placeIn({ barrier }: Barrier, destinationId: string, given: string): ForeignPlace {
  try {
    const sealed = Buffer.from(given.slice(0, cursorCharactersMax), 'base64url');
    return placeShape.parse(JSON.parse(barrier.open(sealed, `foreign/${destinationId}`).toString()));
  } catch {
    throw badField('after', 'after is invalid: send the `after` of an earlier page of the same destination');
  }
}
