import { createHmac } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { notificationsMax } from '#notices/receivers/notification.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { receiver } from '#test/support/servers/receiver.ts';
import { askingIn, holderIn, spaceOf } from '../namespaces/spaces.ts';
import { deliveriesOf, due, notification, tellNow } from './ground.ts';

const type = 'cloud-a-sm';
const service = serviceOf([type]);
const path = (name: string) => `sys/sync/notifications/${name}`;

/** Lets so many destinations fail, and tells it. Returns their names. */
async function fail(count = 1): Promise<readonly string[]> {
  const names: string[] = [];
  service.fake(type).fail({ kind: 'denied', times: 1_000 });
  for (let n = 0; n < count; n += 1) {
    const name = await service.destination(type);
    await service.set(type, name, await service.secret({ v: 'value-that-stays-here' }));
    names.push(name);
  }
  service.fake(type).heal();
  await tellNow(service);
  return names;
}

test('a receiver gets a signed message for each destination, which verifies as the documentation says', async () => {
  const to = await receiver();
  const { name, secret } = await notification(service, to.url);
  expect(secret).toMatch(/^[\w-]{43}$/);
  const names = await fail(2);
  await service.sendNotices();
  expect(to.got.map(({ body }) => (body['destination'] as { name: string }).name).sort()).toEqual([...names].sort());
  const [delivery] = await deliveriesOf(service.ask, name);
  const last = to.got.at(-1);
  expect(last?.headers).toMatchObject({
    'keyferry-event': 'destination.failing',
    'keyferry-delivery': delivery?.id,
    'content-type': 'application/json',
  });
  const time = String(last?.headers['keyferry-timestamp']);
  expect(Math.abs(Number(time) - Date.now() / 1_000)).toBeLessThan(300);
  const expected = createHmac('sha256', secret).update(`${time}.${last?.text}`).digest('hex');
  expect(last?.headers['keyferry-signature']).toBe(`v1=${expected}`);
  expect(last?.body).toMatchObject({
    id: delivery?.['event'],
    kind: 'destination.failing',
    namespace: '',
    failed: 1,
    errors: [{ kind: 'permission', count: 1 }],
  });
  expect(to.got.map(({ text }) => text).join()).not.toMatch(/value-that-stays-here|secret-\d/);
  expect(delivery).toMatchObject({ state: 'delivered', attempts: 1, last_status: 200, last_error: null });
  await service.sendNotices();
  expect(to.got).toHaveLength(2);
});

test('filters on kinds and destinations, and `disabled`, decide what is told', async () => {
  const to = await receiver();
  const all = await notification(service, to.url);
  const other = await notification(service, to.url, { destinations: ['*/other-*'] });
  const kinds = await notification(service, to.url, { kinds: 'queue.filling,destination.recovered' });
  const off = await notification(service, to.url, { disabled: true });
  await fail();
  await service.sendNotices();
  const counts = await Promise.all([all, other, kinds, off].map(({ name }) => deliveriesOf(service.ask, name)));
  expect(counts.map(({ length }) => length)).toEqual([1, 0, 0, 0]);
  expect(to.got).toHaveLength(1);
});

test('the key is shown once, masked nowhere, and replaced on request; other fields keep their values', async () => {
  const { name, secret } = await notification(service, 'https://a.example/', { destinations: 'cloud-a-sm/prod' });
  const read = await service.ask('GET', path(name));
  expect(read.data).toMatchObject({ name, url: 'https://a.example/', kinds: [], disabled: false, failures: 0 });
  expect(read.text).not.toContain(secret);
  const changed = await service.ask('PATCH', path(name), { kinds: ['queue.filling'] });
  expect(changed.data).toMatchObject({ kinds: ['queue.filling'], destinations: ['cloud-a-sm/prod'] });
  expect(changed.data).not.toHaveProperty('secret');
  const renewed = await service.ask('POST', path(name), { new_secret: true });
  expect(String(renewed.data['secret'])).not.toBe(secret);
  const own = await service.ask('POST', path(name), { secret: 'a secret of my own' });
  expect(own.text).not.toContain('a secret of my own');
  expect((await service.ask('PATCH', path(name), { kinds: null, destinations: null })).data).toMatchObject({
    kinds: [],
    destinations: [],
  });
  expect((await service.ask('LIST', 'sys/sync/notifications')).data['keys']).toContain(name);
  expect((await service.ask('DELETE', path(name))).status).toBe(204);
  expect((await service.ask('GET', path(name))).status).toBe(404);
  expect((await service.ask('PATCH', path(name), {})).status).toBe(404);
});

test('patterns have the type names of the vocabulary', async () => {
  const { name } = await notification(service, 'https://a.example/', { destinations: ['aws-sm/prod-*', '*/x'] });
  expect((await service.ask('GET', path(name))).data['destinations']).toEqual(['cloud-a-sm/prod-*', '*/x']);
  const headers = { 'x-service-token': undefined, 'x-vault-token': service.rootToken };
  const alias = await service.ask('GET', path(name), undefined, { headers });
  expect(alias.data['destinations']).toEqual(['aws-sm/prod-*', '*/x']);
});

test.each<[object, string, string]>([
  [{}, 'url', 'url is required'],
  [{ url: 'ftp://a.example/' }, 'url', 'url must be an http or https address'],
  [{ url: 'https://user:pass@a.example/' }, 'url', 'must not hold a user or a password'],
  [{ url: 'https://a.example/', secret: 'short' }, 'secret', 'secret must have 16 to 256 characters'],
  [{ url: 'https://a.example/', kinds: ['none'] }, 'kinds', 'unknown kind "none"'],
  [{ url: 'https://a.example/', destinations: ['prod'] }, 'destinations', '"prod" must be type/name'],
  [{ url: 'https://a.example/', destinations: ['none/prod'] }, 'destinations', 'unknown destination type'],
])('%o is refused with the field %s', async (body, field, text) => {
  const { status, errors, body: reply } = await service.ask('POST', path(service.name('bad')), body);
  expect([status, errors.join()]).toEqual([400, expect.stringContaining(text)]);
  expect(reply['problems']).toEqual([{ field, message: expect.stringContaining(text) }]);
});

test('a test message is sent at once, also of a disabled notification, and its outcome is told', async () => {
  const to = await receiver();
  const { name } = await notification(service, to.url, { disabled: true });
  const { data } = await service.ask('POST', `${path(name)}/test`);
  expect(data).toMatchObject({ delivered: true, status: 200, error: null });
  expect(to.got[0]?.headers['keyferry-event']).toBe('test');
  to.manner = 503;
  const failed = await service.ask('POST', `${path(name)}/test`);
  expect(failed.data).toMatchObject({ delivered: false, status: 503, error: 'the receiver answered 503' });
  expect(await deliveriesOf(service.ask, name)).toEqual([]);
});

test('namespaces have their own notifications, at most 50 each, and tell only their own events', async () => {
  const [to, own] = [await receiver(), await receiver()];
  const space = await spaceOf(service);
  const { name } = await notification(service, to.url, {}, space.ask);
  await notification(service, own.url);
  await fail();
  await service.sendNotices();
  expect([to.got.length, own.got.length]).toEqual([0, 1]);
  expect((await service.ask('GET', path(name))).status).toBe(404);
  await sql`
    insert into sync_notifications (id, namespace_id, name, target, kinds, destinations)
    select gen_random_uuid(), namespace_id, 'many-' || i, target, '{}', '{}'
      from sync_notifications, generate_series(2, ${notificationsMax}::int) i where name = ${name}`.execute(
    service.store.db,
  );
  const more = await space.ask('POST', path('one-more'), { url: to.url });
  expect([more.status, more.errors.join()]).toEqual([400, expect.stringContaining('has 50 notifications')]);
  await service.ask('DELETE', `sys/namespaces/${space.path.slice(0, -1)}`);
});

test('deliveries about destinations that the caller may not read are left out, and cannot be read or sent again', async () => {
  const to = await receiver();
  const { name } = await notification(service, to.url);
  const [open = '', closed = ''] = await fail(2);
  const { client_token } = await holderIn(
    service,
    { ask: askingIn(service, '') },
    `path "${path(name)}/deliveries*" { capabilities = ["read", "create", "update"] }
     path "sys/sync/destinations/${type}/${open}/associations" { capabilities = ["read"] }`,
  );
  const asHolder = (method: string, at: string) =>
    service.ask(method, at, undefined, { headers: { 'x-service-token': client_token } });
  const seen = await deliveriesOf(asHolder, name);
  expect(seen.map(({ destination }) => destination)).toEqual([{ type, name: open }]);
  const hidden = (await deliveriesOf(service.ask, name)).find(
    ({ destination }) => (destination as { name: string }).name === closed,
  );
  expect((await asHolder('GET', `${path(name)}/deliveries/${hidden?.id}`)).status).toBe(404);
  expect((await asHolder('POST', `${path(name)}/deliveries/${hidden?.id}/redeliver`)).status).toBe(404);
  expect((await asHolder('GET', `${path(name)}/deliveries/${seen[0]?.id}`)).data).toMatchObject({
    body: { destination: { name: open } },
  });
});

test('deliveries come in pages, the newest first', async () => {
  const { name } = await notification(service, 'https://a.example/', { disabled: true });
  await sql`
    insert into sync_deliveries (id, notification_id, event_id, kind, body, next_at, state)
    select gen_random_uuid(), id, i, 'queue.filling', '{}', now(), case when i % 2 = 0 then 'dead' else 'delivered' end
      from sync_notifications, generate_series(1, 7) i where name = ${name}`.execute(service.store.db);
  const { data } = await service.ask('GET', `${path(name)}/deliveries?limit=3`);
  const rest = await deliveriesOf(service.ask, name, `?limit=500&after=${String(data['after'])}`);
  const events = [...(data['deliveries'] as { event: string }[]), ...rest].map(({ event }) => event);
  expect(events).toEqual(['7', '6', '5', '4', '3', '2', '1']);
  expect((await deliveriesOf(service.ask, name, '?state=dead')).map(({ event }) => event)).toEqual(['6', '4', '2']);
  await due(service, name);
});

test('neither the key nor the address of a receiver is logged or audited', async () => {
  const to = await receiver('close');
  const { name, secret } = await notification(service, to.url, { secret: 'a-secret-of-my-own-making' });
  await fail();
  await service.sendNotices();
  expect((await deliveriesOf(service.ask, name))[0]?.last_error).toMatch(/^no answer: /);
  const all = JSON.stringify([service.logged, await deliveriesOf(service.ask, name)]);
  expect(all).not.toMatch(/a-secret-of-my-own-making|key-in-the/);
  expect(secret).toBe('undefined');
  const { rows } = await sql<{ text: string }>`select n::text as text from sync_notifications n`.execute(
    service.store.db,
  );
  expect(JSON.stringify(rows)).not.toMatch(/a-secret-of-my-own-making|key-in-the|127\.0\.0\.1/);
});
