import { request } from 'node:http';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, openApi } from '#app.ts';
import { silentLog } from '#core/log/log.ts';
import { eventually } from '#test/support/flow/open-service.ts';
import { chunkBytes } from '#workspaces/resources/state-blobs/parts.ts';
import { filesOf, md5Of, put, stateText, stateVersion } from '../../support/files.ts';
import { workspaceGround } from '../../support/ground.ts';

const ground = workspaceGround();
let other: Api;
let otherAddress = '';

beforeAll(async () => {
  other = await openApi({ config: ground.service.config, log: silentLog });
  otherAddress = `http://127.0.0.1:${(await other.listen(0, '127.0.0.1')).port}`;
});
afterAll(() => other.close());

/** The same address at the second process. */
const elsewhere = (url: unknown): string => {
  const { pathname } = new URL(String(url));
  return `${otherAddress}${pathname}`;
};

/** A workspace locked by one user with a started upload, and another user that may lock it. */
async function begun() {
  const organization = await ground.organization();
  const { id } = await ground.workspace(organization.id, organization.projectId);
  const [first, second] = [await ground.user(organization.id), await ground.user(organization.id)];
  const team = await ground.team(organization.id, { members: [first.id, second.id] });
  await ground.grant(team.id, { workspace: id }, 'write');
  const act = async (action: string, token?: string) =>
    (await ground.call('POST', `/workspaces/${id}/actions/${action}`, undefined, token)).status;
  const text = stateText({ secret: 'of-the-first' });
  const version = (token: string, serial = 1) =>
    ground.call('POST', `/workspaces/${id}/state-versions`, stateVersion({ serial, md5: md5Of(text) }), token);
  expect(await act('lock', first.token)).toBe(200);
  const made = await version(first.token);
  const { 'hosted-state-upload-url': url, 'hosted-json-state-upload-url': jsonUrl } = made.item.attributes;
  const status = async () => (await ground.call('GET', `/state-versions/${made.item.id}`)).item.attributes['status'];
  const current = async () => (await ground.call('GET', `/workspaces/${id}/current-state-version`)).item.id;
  return { id, organization, first, second, team, act, text, version, made, url, jsonUrl, status, current };
}

describe('a state version that waits for its file', () => {
  test('refuses it under the lock of another user, in either process', async () => {
    const { id, second, act, text, url, jsonUrl, status, current } = await begun();
    expect(await act('force-unlock')).toBe(200);
    expect(await act('lock', second.token)).toBe(200);
    for (const address of [url, elsewhere(url)]) expect((await put(address, text)).status).toBe(409);
    for (const address of [jsonUrl, elsewhere(jsonUrl)]) expect((await put(address, '{}')).status).toBe(409);
    expect([await status(), await current()]).toEqual(['discarded', '']);
    expect(await filesOf(ground, id)).toEqual([]);
    expect(await act('unlock', second.token)).toBe(200);
  });

  test('refuses it without a lock, and under a new lock of its creator', async () => {
    const { first, act, text, url, current, version } = await begun();
    expect(await act('force-unlock')).toBe(200);
    expect((await put(url, text)).status).toBe(409);
    expect(await act('lock', first.token)).toBe(200);
    expect((await put(url, text)).status).toBe(409);
    expect(await current()).toBe('');
    const again = await version(first.token);
    expect((await put(again.item.attributes['hosted-state-upload-url'], text)).status).toBe(200);
    expect(await current()).toBe(again.item.id);
  });

  test('refuses it under a later lock, even if the version was not discarded', async () => {
    const { first, act, text, url, made, current } = await begun();
    expect(await act('force-unlock')).toBe(200);
    expect(await act('lock', first.token)).toBe(200);
    await sql`update ws_state_versions set status = 'pending' where id = ${made.item.id}`.execute(
      ground.service.store.db,
    );
    expect((await put(url, text)).status).toBe(409);
    expect(await current()).toBe('');
    expect(await act('unlock', first.token)).toBe(200);
  });

  test('is discarded by a forced unlock, so that the next lock can be released immediately', async () => {
    const { second, act, status } = await begun();
    expect(await act('unlock', second.token)).toBe(409);
    expect(await act('force-unlock')).toBe(200);
    expect(await status()).toBe('discarded');
    expect([await act('lock', second.token), await act('unlock', second.token)]).toEqual([200, 200]);
  });

  test('accepts its state in JSON together with its file, and refuses it after the lock', async () => {
    const { first, act, text, url, jsonUrl } = await begun();
    expect((await put(url, text)).status).toBe(200);
    expect(await act('unlock', first.token)).toBe(200);
    expect((await put(jsonUrl, '{}')).status).toBe(409);
    expect(await act('lock', first.token)).toBe(200);
    expect((await put(jsonUrl, '{}')).status).toBe(409);
  });

  test('shows its addresses only to its creator', async () => {
    const { id, first, second, made, url } = await begun();
    const shownTo = async (token: string) => {
      const one = await ground.call('GET', `/state-versions/${made.item.id}`, undefined, token);
      const listed = await ground.call('GET', `/workspaces/${id}/state-versions`, undefined, token);
      expect(listed.items).toEqual([one.item]);
      const { 'hosted-state-upload-url': state, 'hosted-json-state-upload-url': json } = one.item.attributes;
      return [state, typeof json];
    };
    expect(await shownTo(first.token)).toEqual([url, 'string']);
    expect(await shownTo(second.token)).toEqual([null, 'object']);
    expect(await shownTo(ground.service.rootToken)).toEqual([null, 'object']);
  });
});

type Begun = Awaited<ReturnType<typeof begun>>;
const run = (query: ReturnType<typeof sql>) => query.execute(ground.service.store.db);

/** Ways in which the creator loses access while its lock remains. */
const endings: readonly (readonly [string, (of: Begun) => Promise<unknown>])[] = [
  ['it left the team', ({ first }) => run(sql`delete from ws_team_members where user_id = ${first.id}`)],
  [
    'its team may only read',
    ({ team }) => run(sql`update ws_grants set state_versions = 2 where team_id = ${team.id}`),
  ],
  ['it is suspended', ({ first }) => ground.call('POST', `/admin/users/${first.id}/actions/suspend`)],
  ['it is removed', ({ first }) => ground.call('DELETE', `/admin/users/${first.id}`)],
  ['its token is revoked', ({ first }) => run(sql`delete from ws_tokens where user_id = ${first.id}`)],
  [
    'its token has expired',
    ({ first }) => run(sql`update ws_tokens set expire_at = now() where user_id = ${first.id}`),
  ],
];

test.each(endings)('an upload address becomes invalid with the rights of its creator: %s', async (_how, end) => {
  const ground1 = await begun();
  await end(ground1);
  const { text, url, jsonUrl, current, id } = ground1;
  for (const address of [url, elsewhere(url)]) expect((await put(address, text)).status).toBe(404);
  expect((await put(jsonUrl, '{}')).status).toBe(404);
  expect(await current()).toBe('');
  expect(await filesOf(ground, id)).toEqual([]);
});

test('an upload in progress when the lock ends is refused at its end', async () => {
  const { id, second, act, url, made, current } = await begun();
  const sending = request(elsewhere(url), { method: 'PUT' });
  const answered = new Promise<number | undefined>((resolve, reject) => {
    sending.on('error', reject).on('response', (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
  });
  await run(sql`update ws_state_versions set md5 = null where id = ${made.item.id}`);
  sending.write(`{"version":4,"padding":"${'x'.repeat(2 * chunkBytes)}`);
  await eventually(async () => ((await filesOf(ground, id))[0]?.chunks ?? 0) > 0);
  expect([await act('force-unlock'), await act('lock', second.token)]).toEqual([200, 200]);
  sending.end('"}');
  expect(await answered).toBe(409);
  expect(await current()).toBe('');
  expect(await filesOf(ground, id)).toEqual([]);
});

/** Resolves when a statement of another connection waits for a row lock. */
const rowLockAwaited = (): Promise<unknown> =>
  eventually(async () => {
    const { rows } = await sql`
      select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
      ground.service.store.db,
    );
    return rows.length > 0;
  });

test.each([
  ['the lock ends first', 409],
  ['the lock stays', 200],
] as const)('an upload that meets a change of the lock in the store waits for it: %s', async (order, expected) => {
  const { id, text, url, current, made } = await begun();
  const sent = await ground.service.store.transaction(async (tx) => {
    await sql`select 1 from ws_workspaces where id = ${id} for no key update`.execute(tx);
    const uploading = put(elsewhere(url), text);
    await rowLockAwaited();
    if (order === 'the lock ends first')
      await sql`update ws_workspaces set lock_kind = null, lock_holder = null where id = ${id}`.execute(tx);
    return { uploading };
  });
  expect((await sent.uploading).status).toBe(expected);
  expect(await current()).toBe(expected === 200 ? made.item.id : '');
});
