import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { readBounds } from '#network/bounds.ts';
import { openWebhooks } from '#network/webhooks.ts';
import { waitingMax } from '#notices/receivers/delivery.ts';
import { attemptsMax } from '#notices/send/retry.ts';
import { sendDue } from '#notices/send/sender.ts';
import { ofNamespaceMax } from '#notices/send/turns.ts';
import { eventually, serviceOf } from '#test/support/flow/open-service.ts';
import { type Manner, receiver } from '#test/support/servers/receiver.ts';
import { ending } from '#test/support/services.ts';
import { spaceOf } from '../namespaces/spaces.ts';
import { deliveriesOf, due, notification } from './ground.ts';

const service = serviceOf([]);
const path = (name: string) => `sys/sync/notifications/${name}`;

/** Queues messages of a notification, as events would. */
async function queue(name: string, count = 1): Promise<void> {
  await sql`
    insert into sync_deliveries (id, notification_id, event_id, kind, body, next_at)
    select gen_random_uuid(), id, i, 'queue.filling', '{"n":' || i || '}', now()
      from sync_notifications, generate_series(1, ${count}::int) i where name = ${name}`.execute(service.store.db);
  await sql`update sync_notifications set turn_at = now() where name = ${name}`.execute(service.store.db);
}

async function sick(manner: Manner) {
  const to = await receiver(manner);
  const { name } = await notification(service, to.url);
  await queue(name);
  return { to, name };
}

const first = async (name: string) => (await deliveriesOf(service.ask, name)).at(-1);

test.each<[string, Manner, number | null, string | RegExp]>([
  ['answers with an error', 503, 503, 'the receiver answered 503'],
  ['echoes the request', 'echo', 500, 'the receiver answered 500'],
  ['redirects', { to: 'http://127.0.0.1:1/' }, 307, /^the receiver answered 307: redirects are not followed/],
  ['closes the connection', 'close', null, /^no answer: \w+$/],
])(
  'a message to a receiver that %s is sent again later, with the same id and body',
  async (_what, manner, status, error) => {
    const { to, name } = await sick(manner);
    await service.sendNotices();
    expect(to.got).toHaveLength(1);
    expect(await first(name)).toMatchObject({
      state: 'waiting',
      attempts: 1,
      last_status: status,
      last_error: expect.stringMatching(error),
    });
    expect((await service.ask('GET', path(name))).data).toMatchObject({
      failures: 1,
      last_error: expect.stringMatching(error),
    });
    to.manner = 204;
    await due(service, name);
    await service.sendNotices();
    expect(await first(name)).toMatchObject({ state: 'delivered', attempts: 2, last_status: 204, last_error: null });
    const [one, other] = to.got;
    expect(other?.text).toBe(one?.text);
    expect(other?.headers['keyferry-delivery']).toBe(one?.headers['keyferry-delivery']);
    expect((await service.ask('GET', path(name))).data).toMatchObject({ failures: 0 });
  },
);

test('an answer without end is a success as soon as its status is there', async () => {
  const { name } = await sick('endless');
  await service.sendNotices();
  expect(await first(name)).toMatchObject({ state: 'delivered', last_status: 200 });
});

/** Lets the time of all messages and receivers pass. */
async function passes(ms: number): Promise<void> {
  const by = sql`${ms}::float8 * interval '1 millisecond'`;
  await sql`update sync_deliveries set next_at = next_at - ${by}, queued_at = queued_at - ${by}`.execute(
    service.store.db,
  );
  await sql`update sync_notifications set turn_at = turn_at - ${by}, paused_until = paused_until - ${by}`.execute(
    service.store.db,
  );
}

test('as time passes, a message is tried again after growing delays, and dead after the last attempt', async () => {
  await sql`delete from sync_notifications`.execute(service.store.db);
  const { to, name } = await sick(500);
  const results: string[] = [];
  const webhooks = ending(openWebhooks(readBounds('all')));
  const sent = (result: string) => void results.push(result);
  const parts = { store: service.store, webhooks, random: () => 0.5, sent };
  const send = () => sendDue(parts, AbortSignal.timeout(60_000));
  await send();
  const marginMs = 10_000;
  const delays: number[] = [];
  for (let attempt = 2; attempt <= attemptsMax; attempt += 1) {
    const leftMs = Date.parse((await first(name))?.next_attempt_at ?? '') - service.store.clock.now().getTime();
    delays.push(Math.round(leftMs / 1_000));
    await passes(leftMs - marginMs);
    await send();
    expect(to.got).toHaveLength(attempt - 1);
    await passes(marginMs + 60_000);
    await send();
    expect(to.got).toHaveLength(attempt);
  }
  for (const [n, seconds] of [30, 60, 120, 240, 480].entries())
    expect(Math.abs((delays[n] ?? 0) - seconds)).toBeLessThan(5);
  expect(delays.reduce((sum, one) => sum + one, 0) / 3_600).toBeGreaterThan(23);
  expect(await first(name)).toMatchObject({
    state: 'dead',
    attempts: attemptsMax,
    last_status: 500,
    next_attempt_at: null,
  });
  expect(results).toEqual([...Array.from({ length: attemptsMax - 1 }, () => 'failed'), 'dead']);
});

test('a dead letter is read with its body and sent again with its id; a delivered message too', async () => {
  const { to, name } = await sick(200);
  await sql`
    update sync_deliveries d set state = 'dead', attempts = 17, queued_at = now() - interval '2 days' from sync_notifications n
     where n.id = d.notification_id and n.name = ${name}`.execute(service.store.db);
  const [letter] = await deliveriesOf(service.ask, name, '?state=dead');
  const at = `${path(name)}/deliveries/${letter?.id}`;
  expect((await service.ask('GET', at)).data).toMatchObject({ id: letter?.id, state: 'dead', body: { n: 1 } });
  for (const times of [1, 2]) {
    const again = await service.ask('POST', `${at}/redeliver`);
    expect([again.status, again.data['state'], again.data['attempts']]).toEqual([202, 'waiting', 0]);
    await service.sendNotices();
    expect(to.got).toHaveLength(times);
    expect(await first(name)).toMatchObject({ state: 'delivered', attempts: 1 });
  }
  expect(new Set(to.got.map(({ headers }) => headers['keyferry-delivery']))).toEqual(new Set([letter?.id]));
  await service.ask('PATCH', path(name), { disabled: true });
  expect((await service.ask('POST', `${at}/redeliver`)).errors.join()).toContain('disabled');
  expect((await service.ask('GET', `${path(name)}/deliveries/none`)).status).toBe(404);
});

test('receivers that hang delay no other namespace, and take no more than the share of theirs', async () => {
  const [hanging, quick] = [await receiver('hang'), await receiver()];
  const space = await spaceOf(service);
  for (let count = 0; count < 10; count += 1) {
    const { name } = await notification(service, hanging.url);
    await queue(name, 3);
  }
  const stop = new AbortController();
  const sending = service.sendNotices(stop.signal);
  await eventually(() => hanging.open.now === ofNamespaceMax);
  const { name } = await notification(service, quick.url, {}, space.ask);
  await queue(name);
  await eventually(() => quick.got.length === 1);
  expect(hanging.open.most).toBe(ofNamespaceMax);
  stop.abort();
  await sending;
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from sync_deliveries where attempts > 0 and state = 'waiting'
       and notification_id in (select id from sync_notifications where failures = 0)`.execute(service.store.db);
  // A call that was aborted at the end of the process does not count.
  expect(rows[0]?.count).toBe(0);
  await sql`update sync_notifications set turn_at = null`.execute(service.store.db);
});

test('two processes send each message once', async () => {
  const to = await receiver();
  const names: string[] = [];
  for (let count = 0; count < 3; count += 1) {
    const { name } = await notification(service, to.url);
    await queue(name, 10);
    names.push(name);
  }
  await Promise.all([service.sendNotices(), service.sendNotices(), service.sendNotices()]);
  await service.sendNotices();
  expect(to.got).toHaveLength(30);
  expect(new Set(to.got.map(({ headers }) => headers['keyferry-delivery'])).size).toBe(30);
  for (const name of names) expect((await deliveriesOf(service.ask, name, '?state=waiting')).length).toBe(0);
});

test('the messages of a receiver are sent in their order', async () => {
  const to = await receiver();
  const { name } = await notification(service, to.url);
  await queue(name, 10);
  await service.sendNotices();
  expect(to.got.map(({ body }) => body['n'])).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test('a message that is sent again does not hold up the others, and a change of the receiver sends all at once', async () => {
  const { to, name } = await sick(500);
  await service.sendNotices();
  await sql`update sync_notifications set paused_until = null where name = ${name}`.execute(service.store.db);
  to.manner = 200;
  await queue(name, 2);
  await service.sendNotices();
  expect((await deliveriesOf(service.ask, name)).map(({ state }) => state)).toEqual([
    'delivered',
    'delivered',
    'waiting',
  ]);
  await service.ask('PATCH', path(name), { url: to.url });
  await service.sendNotices();
  expect(await first(name)).toMatchObject({ state: 'delivered' });
});

test('messages are deleted after seven days, and with their notification', async () => {
  const { name } = await sick(200);
  await sql`update sync_deliveries set queued_at = now() - interval '8 days'`.execute(service.store.db);
  await service.sweep();
  expect(await deliveriesOf(service.ask, name)).toEqual([]);
  await queue(name, 5);
  await service.ask('DELETE', path(name));
  const { rows } = await sql`select 1 from sync_deliveries where body = '{"n":5}' and state = 'waiting'`.execute(
    service.store.db,
  );
  expect(rows).toEqual([]);
});

test(`beyond ${waitingMax} waiting messages of one receiver, further ones are dead at once`, async () => {
  const { name } = await notification(service, 'https://a.example/');
  await queue(name, waitingMax - 1);
  await sql`update sync_notifications set turn_at = null where name = ${name}`.execute(service.store.db);
  const { recordEvents } = await import('#notices/tell/record.ts');
  await service.store.transaction((tx) =>
    recordEvents(tx, 'root', [
      { kind: 'queue.filling', details: { pending: 8, capacity: 10 } },
      { kind: 'queue.drained', details: { pending: 5, capacity: 10 } },
    ]),
  );
  expect((await deliveriesOf(service.ask, name)).slice(0, 2)).toMatchObject([
    { kind: 'queue.drained', state: 'dead', last_error: expect.stringContaining('more than 1000 messages') },
    { kind: 'queue.filling', state: 'waiting' },
  ]);
  await service.ask('DELETE', path(name));
});
