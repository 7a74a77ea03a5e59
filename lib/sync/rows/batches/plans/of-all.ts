import { z } from 'zod';
import { AppError } from '#core/errors.ts';
import type { Reply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { type Input, integer, text } from '#path/fields.ts';
import { mustBeEnabled } from '#sync/ask/ask.ts';
import { storedTypeIn } from '#sync/model/definition.ts';
import { fromCursor, toCursor } from '#sync/records/cursor.ts';
import { destinationsMax, listedDestinations } from '#sync/records/destinations.ts';
import { recordFilter, recordFilterFields } from '#sync/records/filter.ts';
import { placeOf, recordPage } from '#sync/records/page.ts';
import type { ListedRecord } from '#sync/records/record.ts';
import { loadDestination } from '../../destinations/store.ts';
import { keyOf } from '../../destinations/unstored.ts';
import type { SyncParts } from '../../parts.ts';
import { plannableOf } from '../../rights/readable.ts';
import { keepFields, keepIfAsked, type PlannedPart } from './keeping.ts';
import { countsOf, objectView, planOf } from './planning.ts';

const limitMax = 100;
const { type, name, mount, prefix, secret } = recordFilterFields;

const fields = {
  ...{ type, name, mount, prefix, secret },
  limit: integer()
    .pipe(z.int().min(1, 'limit must be at least 1').max(limitMax, `limit must be at most ${limitMax}`))
    .default(20)
    .meta({ description: `How many secrets a page has, at most ${limitMax}` }),
  after: text().optional().meta({ description: 'Continue after an earlier page: its `after`, with the same fields' }),
};

/** The row `sys/sync/plan`. */
export function planAllRow(parts: SyncParts): Row {
  return {
    pattern: 'sync/plan',
    help: 'Shows what a sync would create, update, delete, refuse and leave at all destinations, page by page, narrowed by any of the fields. Destinations whose plan the caller may not read are left out. The secrets of a destination that cannot be looked at carry its error.',
    operations: {
      read: operation(fields, {
        summary: 'Plan the syncs of all destinations',
        knownFieldsOnly: true,
        run: (input, context) => plan(parts, input, context),
      }),
      write: operation(
        { ...fields, ...keepFields },
        {
          summary: 'Plan the syncs of all destinations, and keep the plan',
          knownFieldsOnly: true,
          run: (input, context) => plan(parts, input, context),
        },
      ),
    },
  };
}

/** No destination is asked later than this many milliseconds after the first one of a page. */
const asksMsMax = 8_000;

async function plan(
  parts: SyncParts,
  input: Input<typeof fields> & Partial<Input<typeof keepFields>>,
  context: RequestContext,
): Promise<Reply> {
  const { namespace, vocabulary, warn } = context;
  await mustBeEnabled(parts.store);
  const filter = recordFilter(parts.definitions, input, vocabulary);
  const { after, sick } = placeOfPage(input.after);
  const found = await listedDestinations(parts.store, namespace.id, filter);
  if (found.length > destinationsMax) warn(`only the first ${destinationsMax} destinations are looked at`);
  const destinations = await plannableOf(context, found.slice(0, destinationsMax));
  const page = await recordPage(parts.store, { destinations, filter, limit: input.limit, after });
  const answers = await answersOf(parts, page.records, sick, context);
  const planned = answers.flatMap(({ part }) => (part === undefined ? [] : [part]));
  const planId = await keepIfAsked(parts, input, planned, context);
  const last = answers.at(-1);
  const done = answers.reduce((sum, one) => sum + one.done, 0);
  const lastRecord = page.records[done - 1];
  const isOver = lastRecord === undefined || (done === page.records.length && page.next === undefined);
  const failed = answers.flatMap(({ objects, part }) => (part === undefined ? objects : []));
  return {
    data: {
      objects: answers.flatMap(({ objects, destination }) =>
        objects.map((object) => ({
          destination: { ...destination, type: storedTypeIn(parts.definitions, destination.type, vocabulary) },
          ...object,
        })),
      ),
      counts: { ...countsOf(planned.flatMap((one) => one.planned)), error: failed.length },
      total: page.total,
      total_at_least: page.totalAtLeast,
      after: isOver ? null : `${toCursor(placeOf(lastRecord))}${last?.failed === true ? sickMark : ''}`,
      ...(planId === undefined ? {} : { plan_id: planId }),
    },
  };
}

/** At the end of a cursor: the destination of its place could not be looked at, and is not asked again. */
const sickMark = '~';

function placeOfPage(given: string | undefined) {
  if (given === undefined || given === '') return { after: undefined, sick: undefined };
  const isSick = given.endsWith(sickMark);
  const after = fromCursor(isSick ? given.slice(0, -sickMark.length) : given);
  return { after, sick: isSick ? `${after.type}/${after.name}` : undefined };
}

interface Answer {
  readonly destination: { readonly type: string; readonly name: string };
  readonly objects: readonly object[];
  /** How many of the records are planned, or carry the error. */
  readonly done: number;
  readonly failed: boolean;
  /** Absent when the destination could not be looked at. */
  readonly part?: PlannedPart | undefined;
}

/** The answers for the destinations of a page, until one is incomplete or the time is up. */
async function answersOf(
  parts: SyncParts,
  records: readonly ListedRecord[],
  sick: string | undefined,
  context: RequestContext,
): Promise<readonly Answer[]> {
  const begunMs = performance.now();
  const answers: Answer[] = [];
  for (const own of Map.groupBy(records, (one) => `${one.type}/${one.destination_name}`).entries()) {
    if (answers.length > 0 && performance.now() - begunMs > asksMsMax) break;
    const [destination, group] = own;
    const answer = destination === sick ? unasked(group) : await answerOf(parts, group, context);
    answers.push(answer);
    if (answer.done < group.length) break;
  }
  return answers;
}

async function answerOf(parts: SyncParts, records: readonly ListedRecord[], context: RequestContext): Promise<Answer> {
  const destination = destinationOf(records);
  const definition = parts.definitions.find((one) => one.type === destination.type);
  if (definition === undefined) return failedFor(records, unknownType);
  const stored = await loadDestination(parts.store, parts.store.db, keyOf(definition, destination.name, context));
  if (stored === undefined) return { destination, objects: [], done: records.length, failed: false };
  const wanted = { definition, destination: stored, values: stored, records };
  try {
    const page = await planOf(parts, wanted, context);
    const objects = page.planned.map(objectView);
    return { destination, objects, done: page.done, failed: false, part: { ...page, wanted } };
  } catch (cause) {
    if (!(cause instanceof AppError) || context.signal.aborted) throw cause;
    return failedFor(records, cause);
  }
}

const destinationOf = (records: readonly ListedRecord[]) => ({
  type: records[0]?.type ?? '',
  name: records[0]?.destination_name ?? '',
});

const unknownType = new AppError('unavailable', 'this release does not know the type of the destination');
const askedBefore = new AppError('unavailable', 'not looked at: an earlier page has the error of this destination');

const unasked = (records: readonly ListedRecord[]): Answer => failedFor(records, askedBefore);

function failedFor(records: readonly ListedRecord[], { kind, message }: AppError): Answer {
  const objects = records.map(({ id, mount_path, secret_name }) => ({
    id,
    mount: mount_path.replace(/\/$/, ''),
    secret_name,
    sub_key: '',
    external_name: '',
    action: 'error',
    reason: 'not-looked-at',
    looked: false,
    error: { kind, message },
  }));
  return { destination: destinationOf(records), objects, done: records.length, failed: true };
}
