import { notices } from '#client/operations/notices.ts';
import { CallFailure } from '#client/wire/failure.ts';
import { isObject, memberOf, textOf, textsOf, type Value } from '#client/wire/json.ts';
import { Secret } from '#core/secret.ts';
import type { Context } from '../../context.ts';
import { usage } from '../../failure.ts';
import { one, type Rows, rowsOf } from '../../output/result.ts';
import type { Described, Given, Verb } from '../../verb.ts';

const nameArgument: Described = ['<name>', 'name of the notification'];

const list: Verb = {
  name: 'notifications list',
  summary: 'List the webhooks that tell events of the sync',
  examples: ['keyferry notifications list'],
  async run({ client }) {
    const { data } = await client.call(notices.listNotifications, {}).catch(noneThere);
    return rowsOf(
      { name: 'name' },
      textsOf(data, 'keys').map((name) => ({ name })),
    );
  },
};

function noneThere(error: unknown): { readonly data: undefined } {
  if (error instanceof CallFailure && error.status === 404) return { data: undefined };
  throw error;
}

const get: Verb = {
  name: 'notifications get',
  summary: 'Show a webhook, without its key',
  arguments: [nameArgument],
  examples: ['keyferry notifications get on-call'],
  run: async ({ client }, given) =>
    one((await client.call(notices.readNotification, { name: given.argument(0) })).data ?? null),
};

const set: Verb = {
  name: 'notifications set',
  summary: 'Create a webhook, or change what the options name',
  arguments: [nameArgument],
  options: [
    ['--url <url>', 'address of the receiver'],
    ['--kinds <kinds>', 'only these kinds of events, with commas between them; "" for all'],
    ['--to <patterns>', 'only these destinations, such as cloud-a-sm/prod-*,*/ci; "" for all'],
    ['--secret-stdin', 'read the key that signs the messages from standard input', { without: ['--new-secret'] }],
    ['--new-secret', 'replace the key by a random one'],
    ['--disable', 'send nothing', { without: ['--enable'] }],
    ['--enable', 'send again'],
  ],
  examples: [
    'keyferry notifications set on-call --url "$RECEIVER" --kinds destination.failing,destination.recovered',
    'openssl rand -hex 32 | keyferry notifications set on-call --secret-stdin',
  ],
  async run(context, given) {
    const { client, say } = context;
    const { data } = await client.call(
      notices.writeNotification,
      { name: given.argument(0) },
      await wantedBy(context, given),
    );
    if (textOf(data, 'secret') !== '') say('keep the secret: it verifies the messages, and is not shown again');
    return one(data ?? null);
  },
};

/** @throws CommandFailure */
async function wantedBy({ questions, conceal }: Context, given: Given) {
  const [enable, disable, newSecret] = [given.flag('enable'), given.flag('disable'), given.flag('newSecret')];
  const secret = given.flag('secretStdin') ? new Secret((await questions.readAll()).trim()) : undefined;
  if (secret !== undefined) conceal(secret);
  const fields = {
    url: given.text('url'),
    kinds: given.text('kinds'),
    destinations: given.text('to'),
    secret: secret?.reveal(),
    new_secret: newSecret || undefined,
    disabled: disable ? true : enable ? false : undefined,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

const remove: Verb = {
  name: 'notifications delete',
  summary: 'Delete a webhook and its messages',
  arguments: [nameArgument],
  options: [['-y, --yes', 'do not ask']],
  examples: ['keyferry notifications delete on-call --yes'],
  async run({ client, questions }, given) {
    const name = given.argument(0);
    await questions.agree(`Delete the notification ${name} and its messages?`, given.flag('yes'), given.verb);
    await client.call(notices.deleteNotification, { name });
    return one({ deleted: name });
  },
};

const test: Verb = {
  name: 'notifications test',
  summary: 'Send a test message now, and tell whether the receiver took it',
  arguments: [nameArgument],
  examples: ['keyferry notifications test on-call'],
  async run({ client }, given) {
    const { data } = await client.call(notices.testNotification, { name: given.argument(0) });
    return { ...one(data ?? null), exit: memberOf(data, 'delivered') === true ? 'done' : 'failed' };
  },
};

/** Deliveries of one page, the most that a reply has. */
const pageMax = 500;
const limitMax = 10_000;

const deliveries: Verb = {
  name: 'notifications deliveries',
  summary: 'List the messages of a webhook, the newest first, or show one with its body',
  arguments: [nameArgument, ['[id]', 'id of a message']],
  options: [
    ['--state <state>', 'only messages that are waiting, delivered or dead', { without: ['[id]'] }],
    ['--limit <count>', 'at most this many; default: 100', { without: ['[id]'] }],
  ],
  examples: [
    'keyferry notifications deliveries on-call --state dead',
    'keyferry notifications deliveries on-call "$DELIVERY"',
  ],
  async run(context, given) {
    const [name = '', id] = given.arguments;
    if (id !== undefined) return one((await context.client.call(notices.readDelivery, { name, id })).data ?? null);
    const rows = await deliveriesOf(context, name, {
      state: given.text('state'),
      limit: given.count('limit', 100, { min: 1, max: limitMax }),
    });
    return deliveryTable(rows);
  },
};

async function deliveriesOf(
  { client }: Context,
  name: string,
  { state, limit }: { readonly state: string | undefined; readonly limit: number },
): Promise<readonly Value[]> {
  const rows: Value[] = [];
  let after = '';
  do {
    const fields = { limit: Math.min(pageMax, limit - rows.length), ...(after === '' ? {} : { after }) };
    const { data } = await client.call(
      notices.listDeliveries,
      { name },
      { ...fields, ...(state === undefined ? {} : { state }) },
    );
    const page = memberOf(data, 'deliveries');
    rows.push(...(Array.isArray(page) ? page : []));
    after = textOf(data, 'after');
  } while (after !== '' && rows.length < limit);
  return rows;
}

function deliveryTable(found: readonly Value[]): Rows {
  const rows = found.map((delivery) => ({
    id: textOf(delivery, 'id'),
    event: textOf(delivery, 'event'),
    kind: textOf(delivery, 'kind'),
    destination: isObject(memberOf(delivery, 'destination') ?? null)
      ? `${textOf(delivery, 'destination', 'type')}/${textOf(delivery, 'destination', 'name')}`
      : '',
    state: textOf(delivery, 'state'),
    attempts: memberOf(delivery, 'attempts') ?? null,
    error: textOf(delivery, 'last_error'),
    created_at: textOf(delivery, 'created_at'),
    next_attempt_at: textOf(delivery, 'next_attempt_at'),
  }));
  const columns = {
    id: 'id',
    kind: 'kind',
    destination: 'destination',
    state: 'state',
    attempts: 'attempts',
    error: 'error',
  };
  return rowsOf(columns, rows, { event: 'event', created_at: 'created', next_attempt_at: 'next attempt' });
}

const redeliver: Verb = {
  name: 'notifications redeliver',
  summary: 'Send a message again, or all dead ones',
  arguments: [nameArgument, ['[id]', 'id of the message, from `keyferry notifications deliveries`']],
  options: [
    ['--dead', 'all messages that are dead'],
    ['-y, --yes', 'with --dead: do not ask', { with: ['--dead'] }],
  ],
  examples: [
    'keyferry notifications redeliver on-call "$DELIVERY"',
    'keyferry notifications redeliver on-call --dead --yes',
  ],
  async run(context, given) {
    const [name = '', id] = given.arguments;
    if ((id === undefined) === !given.flag('dead')) throw usage('name a message, or --dead', given.verb);
    const ids = id === undefined ? await deadOnes(context, given, name) : [id];
    // The oldest first, as they were told.
    const rows: Value[] = [];
    for (const each of ids.toReversed())
      rows.push((await context.client.call(notices.redeliver, { name, id: each })).data ?? null);
    return deliveryTable(rows);
  },
};

/** Their ids, once the user agrees to their number. */
async function deadOnes(context: Context, given: Given, name: string): Promise<readonly string[]> {
  const ids = (await deliveriesOf(context, name, { state: 'dead', limit: limitMax })).map((one) => textOf(one, 'id'));
  if (ids.length > 0)
    await context.questions.agree(`Send ${ids.length} dead messages of ${name} again?`, given.flag('yes'), given.verb);
  return ids;
}

export const notifications: readonly Verb[] = [list, get, set, remove, test, deliveries, redeliver];
