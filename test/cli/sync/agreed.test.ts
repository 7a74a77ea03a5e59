import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { printedRows, syncLines } from '#test/support/cli/syncs.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { receiver } from '#test/support/servers/receiver.ts';

const service = serviceOf(['cloud-a-sm']);
const { line } = syncLines(service);

test('a rule is stored once the number of syncs is agreed to', async () => {
  const [name, folder] = [await service.destination('cloud-a-sm'), service.name('folder')];
  for (const path of ['a', 'b']) await service.secret({ v: path }, `${folder}/${path}`);
  const set = (...more: string[]) =>
    line('rules', 'set', folder, `secret/${folder}/`, '--to', `cloud-a-sm/${name}`, '-o', 'json', ...more);
  expect(await set()).toMatchObject({
    code: 2,
    errors: expect.stringContaining(
      `Store the rule ${folder}, which sets 2 syncs and removes 0 now? Without a terminal`,
    ),
  });
  expect((await line('rules', 'get', folder)).code).toBe(1);
  expect((await set('--dry-run')).errors).toContain('would set 2 and unset 0');
  expect((await set('--yes', '--wait')).code).toBe(0);
  expect((await line('wait', '--to', `cloud-a-sm/${name}`)).code).toBe(0);
  expect((await set()).errors).toContain('which sets 0 syncs and removes 0 now?');
});

test('dead messages are sent again once their number is agreed to', async () => {
  const { url } = await receiver();
  await service.api.write('sys/sync/notifications/on-call', { url });
  await sql`insert into sync_deliveries (id, notification_id, event_id, kind, body, next_at, state)
            select gen_random_uuid(), id, n, 'queue.filling', '{}', now(), 'dead' from sync_notifications, generate_series(1, 3) n`.execute(
    service.store.db,
  );
  const again = (...more: string[]) => line('notifications', 'redeliver', 'on-call', '--dead', '-o', 'ndjson', ...more);
  expect(await again()).toMatchObject({
    code: 2,
    errors: expect.stringContaining('Send 3 dead messages of on-call again? Without a terminal'),
  });
  const done = await again('--yes');
  expect([done.code, printedRows(done.output).map(({ state }) => state)]).toEqual([
    0,
    ['waiting', 'waiting', 'waiting'],
  ]);
  expect(await again()).toMatchObject({ code: 0, output: '' });
});

test.each([
  [['kv', 'destroy', 'secret/app', '--versions', '1', '--all', '--yes'], 'either --versions or --all'],
  [['kv', 'destroy', 'secret/app', '--versions', '1', '--all', '--plan'], 'either --versions or --all'],
])('%j is refused, and nothing is sent', async (argv, text) => {
  expect(await line(...argv)).toMatchObject({ code: 2, errors: expect.stringContaining(text) });
});

test('a version of a mount without versions is refused, instead of the whole secret being deleted', async () => {
  await service.api.write('sys/mounts/plain', { type: 'kv', options: { version: '1' } });
  await service.api.write('plain/app', { a: 'b' });
  const refused = { code: 2, errors: expect.stringContaining('which has no versions') };
  expect(await line('kv', 'delete', 'plain/app', '--versions', '1')).toMatchObject(refused);
  expect(await line('kv', 'get', 'plain/app', '--version', '1')).toMatchObject(refused);
  expect((await line('kv', 'get', 'plain/app')).code).toBe(0);
});
