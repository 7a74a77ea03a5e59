import { z } from 'zod';
import { badRequest, notFound } from '#core/errors.ts';
import { isUuid } from '#core/ids.ts';
import type { Accepted, Reply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { accepted, operation, type Row } from '#path/contract/row.ts';
import { type Input, pathText, text } from '#path/fields.ts';
import { type Delivery, deliveriesBefore, deliveryStates, findDelivery, queueAgain } from '../receivers/delivery.ts';
import { pageLimit, positionOf } from './events.ts';
import { name } from './fields.ts';
import { required } from './notifications.ts';
import type { NoticeParts } from './parts.ts';
import { readableFor, readablePage } from './readable.ts';
import { deliveryView, wholeDeliveryView } from './view.ts';

const listFields = {
  ...name,
  state: text(64)
    .pipe(z.enum(['', ...deliveryStates], { error: `state must be one of ${deliveryStates.join(', ')}` }))
    .optional()
    .meta({ description: `Only deliveries in this state: ${deliveryStates.join(', ')}` }),
  limit: pageLimit('deliveries'),
  after: text(64).optional().meta({ description: 'Continue after an earlier page: its `after`' }),
};

const oneFields = { ...name, id: pathText('Id of the delivery') };

/** Greater than every number of a delivery. */
const newest = '9223372036854775807';

/** The rows below `sys/sync/notifications/:name/deliveries`. */
export function deliveryRows(parts: NoticeParts): readonly Row[] {
  return [
    {
      pattern: 'sync/notifications/:name/deliveries',
      help: 'Shows the messages of a notification, the newest first: those that wait, that were delivered, and that are dead after the last attempt. Messages about destinations whose associations the caller may not read are left out.',
      operations: {
        read: operation(listFields, {
          summary: 'Read the deliveries of a notification',
          knownFieldsOnly: true,
          run: (input, context) => list(parts, input, context),
        }),
      },
    },
    {
      pattern: 'sync/notifications/:name/deliveries/:id',
      help: 'Shows one message of a notification with its body.',
      operations: {
        read: operation(oneFields, {
          summary: 'Read a delivery',
          run: async (input, context) => ({
            data: wholeDeliveryView(
              parts.definitions,
              await readableDelivery(parts, input, context),
              context.vocabulary,
            ),
          }),
        }),
      },
    },
    {
      pattern: 'sync/notifications/:name/deliveries/:id/redeliver',
      help: 'Sends a message again, with the same id: at once, and if that fails, as often as a new one.',
      operations: {
        write: operation(oneFields, {
          summary: 'Send a message again',
          replies: accepted,
          run: (input, context) => redeliver(parts, input, context),
        }),
      },
    },
  ];
}

async function list(parts: NoticeParts, input: Input<typeof listFields>, context: RequestContext): Promise<Reply> {
  const { id } = await required(parts, input.name, context);
  const state = input.state === '' ? undefined : input.state;
  const read = (before: string, limit: number) => deliveriesBefore(parts.store, id, { state, before, limit });
  const start = positionOf(input.after, newest);
  const { shown, last, isWhole } = await readablePage(readableFor(context), input.limit, start, read, ({ n }) => n);
  const deliveries = shown.map((row) => deliveryView(parts.definitions, row, context.vocabulary));
  return { data: { deliveries, after: isWhole ? null : (last ?? null) } };
}

/** @throws AppError `not-found` also when the caller may not read the associations of its destination */
async function readableDelivery(
  parts: NoticeParts,
  input: Input<typeof oneFields>,
  context: RequestContext,
): Promise<Delivery> {
  const notification = await required(parts, input.name, context);
  const found = isUuid(input.id) ? await findDelivery(parts.store, notification.id, input.id) : undefined;
  if (found === undefined || !(await readableFor(context)(found))) throw notFound();
  return found;
}

async function redeliver(
  parts: NoticeParts,
  input: Input<typeof oneFields>,
  context: RequestContext,
): Promise<Accepted> {
  const { disabled } = await required(parts, input.name, context);
  if (disabled) throw badRequest('this notification is disabled and sends nothing: enable it first');
  const delivery = await readableDelivery(parts, input, context);
  await queueAgain(parts.store, delivery);
  const after = await readableDelivery(parts, input, context);
  return { status: 202, data: deliveryView(parts.definitions, after, context.vocabulary) };
}
