import { z } from 'zod';
import { badField } from '#core/errors.ts';
import type { Reply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { duration, type Input, integer, text } from '#path/fields.ts';
import { longPoll } from '#path/long-poll.ts';
import { storedTypeIn } from '#sync/model/definition.ts';
import { eventView } from '../events/event.ts';
import { eventsAfter } from '../events/page.ts';
import type { NoticeParts } from './parts.ts';
import { readableFor, readablePage } from './readable.ts';

const limitMax = 500;
const waitSecondsMax = 30;
/** How often a waiting request looks for events, in milliseconds, and how many wait in this process at the same time. */
const [lookMs, waitersMax] = [1_000, 100];

export const pageLimit = (things: string) =>
  integer()
    .pipe(z.int().min(1, 'limit must be at least 1').max(limitMax, `limit must be at most ${limitMax}`))
    .default(100)
    .meta({ description: `How many ${things} a page has, at most ${limitMax}` });

const fields = {
  after: text(64)
    .optional()
    .meta({ description: 'Only events after this one: an id, or the `after` of an earlier reply' }),
  limit: pageLimit('events'),
  wait: duration()
    .pipe(z.int().max(waitSecondsMax, `wait must be at most ${waitSecondsMax} seconds`))
    .default(0)
    .meta({ description: `How long to wait for an event when there is none, in seconds, at most ${waitSecondsMax}` }),
};

/** The row `sys/sync/events`. */
export function eventRow(parts: NoticeParts): Row {
  const poll = longPoll({ lookMs, waitersMax, waitMsMax: parts.pollMsMax });
  const run = async ({ after, limit, wait }: Input<typeof fields>, context: RequestContext): Promise<Reply> => {
    const { namespace, vocabulary, signal } = context;
    const mayRead = readableFor(context);
    let start = positionOf(after);
    const look = async () => {
      const read = (from: string, count: number) => eventsAfter(parts.store, namespace.id, from, count);
      const page = await readablePage(mayRead, limit, start, read, ({ id }) => id);
      start = page.last ?? start;
      return page;
    };
    const waiting = { namespaceId: namespace.id, waitMs: wait * 1_000, signal };
    const { shown } = await poll(look, (page) => page.shown.length > 0, waiting);
    const events = shown.map((event) =>
      eventView(event, event.type === null ? null : storedTypeIn(parts.definitions, event.type, vocabulary)),
    );
    return { data: { events, after: start } };
  };
  return {
    pattern: 'sync/events',
    help: 'Shows what happened to the sync, the oldest first, for seven days. Events of destinations whose associations the caller may not read are left out.',
    operations: { read: operation(fields, { summary: 'Read the events of the sync', knownFieldsOnly: true, run }) },
  };
}

/** A number of an event. @throws AppError `bad-request` */
export function positionOf(after: string | undefined, otherwise = '0'): string {
  if (after === undefined || after === '') return otherwise;
  if (/^\d{1,18}$/.test(after)) return after;
  throw badField('after', 'after is invalid: send an id, or the `after` of an earlier reply');
}
