import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { receiver } from '#test/support/servers/receiver.ts';
import { deliveriesOf, notification } from './ground.ts';

const service = serviceOf([], { KEYFERRY_NETWORK_ALLOWED: 'none' });

test.each([
  ['http://127.0.0.1/', '127.0.0.0/8'],
  ['http://[::1]/', '::1/128'],
  ['https://169.254.169.254/latest', '169.254.0.0/16'],
  ['https://a.example:8443/', 'port 8443'],
])('%s is refused when it is written, with the setting that would allow it', async (url, reason) => {
  const { status, errors } = await service.ask('POST', `sys/sync/notifications/${service.name('hook')}`, { url });
  expect(status).toBe(400);
  expect(errors.join()).toContain(reason);
  expect(errors.join()).toContain('KEYFERRY_NETWORK_ALLOWED');
});

test('a name that resolves to an address that is not allowed is refused when it is called', async () => {
  const to = await receiver();
  const { name } = await notification(service, 'http://localhost/');
  const { data } = await service.ask('POST', `sys/sync/notifications/${name}/test`);
  expect(data).toMatchObject({ delivered: false, status: null });
  expect(String(data['error'])).toContain('KEYFERRY_NETWORK_ALLOWED');
  await sql`
    insert into sync_deliveries (id, notification_id, event_id, kind, body, next_at)
    select gen_random_uuid(), id, 1, 'queue.filling', '{}', now() from sync_notifications`.execute(service.store.db);
  await sql`update sync_notifications set turn_at = now()`.execute(service.store.db);
  await service.sendNotices();
  expect((await deliveriesOf(service.ask, name))[0]).toMatchObject({
    state: 'waiting',
    last_error: expect.stringContaining('KEYFERRY_NETWORK_ALLOWED'),
  });
  expect(to.got).toEqual([]);
});
