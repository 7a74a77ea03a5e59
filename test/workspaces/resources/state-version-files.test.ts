import { request } from 'node:http';
import { Readable } from 'node:stream';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { chunkBytes } from '#workspaces/resources/state-blobs/parts.ts';
import { isStatePending, promoteIntermediate } from '#workspaces/resources/state-versions/promote.ts';
import { eventually } from '../../support/flow/open-service.ts';
import { filesOf, lockedWorkspace, md5Of, put, stateText, stateVersion } from '../support/files.ts';
import { workspaceGround } from '../support/ground.ts';

const ground = workspaceGround();

async function pendingVersion(text: string, more: object = {}) {
  const locked = await lockedWorkspace(ground);
  const version = (serial: number, md5 = md5Of(text)) =>
    ground.call('POST', locked.path, stateVersion({ serial, md5, ...more }), locked.user.token);
  const made = await version(1);
  const status = async (id = made.item.id) =>
    (await ground.call('GET', `/state-versions/${id}`)).item.attributes['status'];
  return { ...locked, made, version, status, url: String(made.item.attributes['hosted-state-upload-url']) };
}

test('of many concurrent uploads one wins; uploads of the same file succeed too', async () => {
  const text = stateText();
  const { id, url, status } = await pendingVersion(text);
  const answers = await Promise.all(Array.from({ length: 8 }, () => put(url, text)));
  expect(answers.map((answer) => answer.status)).toEqual(Array.from({ length: 8 }, () => 200));
  expect(await status()).toBe('finalized');
  expect(await filesOf(ground, id)).toHaveLength(1);
  const other = await put(url, stateText({ secret: 'other' }));
  expect(other.status).toBe(409);
  expect(await filesOf(ground, id)).toHaveLength(1);
});

test('an interrupted upload leaves nothing behind and can be repeated', async () => {
  const text = stateText();
  const { id, url, status, row } = await pendingVersion(text);
  const sending = request(url, { method: 'PUT', headers: { 'content-length': String(10 * chunkBytes) } });
  sending.on('error', () => {});
  sending.write(`{"version":4,"padding":"${'x'.repeat(3 * chunkBytes)}`);
  await eventually(async () => ((await filesOf(ground, id))[0]?.chunks ?? 0) > 0);
  sending.destroy();
  await eventually(async () => (await filesOf(ground, id)).length === 0);
  expect(await status()).toBe('pending');
  expect(await row()).toEqual({ current_state_version_id: null, resource_count: 0 });
  expect((await put(url, text)).status).toBe(200);
  expect(await status()).toBe('finalized');
});

test('a file with another hash or invalid JSON is refused and leaves nothing behind', async () => {
  const { id, url, status } = await pendingVersion(stateText());
  expect((await put(url, stateText({ secret: 'another' }))).status).toBe(412);
  for (const text of ['', 'no json', '[]', '{"a":', `${stateText()}}`]) expect((await put(url, text)).status).toBe(422);
  expect(await filesOf(ground, id)).toEqual([]);
  expect(await status()).toBe('pending');
  expect((await put(url.replace('put-state', 'get-state'), '{}')).status).toBe(404);
  expect((await put(`${url}x`, '{}')).status).toBe(404);
});

test('a file of more than 256 MiB is refused by its headers', async () => {
  const { id, url } = await pendingVersion(stateText());
  const status = await new Promise<number | undefined>((resolve) => {
    const sending = request(url, { method: 'PUT', headers: { 'content-length': String(257 * 1024 * 1024) } });
    sending
      .on('error', () => {})
      .on('response', (answer) => {
        resolve(answer.statusCode);
        sending.destroy();
      });
    sending.write('{');
  });
  expect(status).toBe(413);
  expect(await filesOf(ground, id)).toEqual([]);
});

test('a large state is read while it arrives: its resources are counted, and the service stays responsive', async () => {
  const resources = 20_000;
  function* text(): Generator<Buffer> {
    yield Buffer.from('{"version":4,"terraform_version":"1.11.4","resources":[');
    for (let n = 0; n < resources; n += 1) {
      const one = {
        mode: 'managed',
        type: 't',
        name: `n${n}`,
        provider: 'p',
        instances: [{ attributes: { text: 'é"\\'.repeat(100) } }],
      };
      yield Buffer.from(`${n === 0 ? '' : ',\n'}${JSON.stringify(one)}`);
    }
    yield Buffer.from('],"outputs":{}}');
  }
  const whole = Buffer.concat([...text()]);
  const { url, made, row } = await pendingVersion(whole.toString());
  const sent = put(url, Readable.toWeb(Readable.from(text())) as ReadableStream);
  const pings = await Promise.all(Array.from({ length: 20 }, () => ground.call('GET', '/ping')));
  expect(pings.every(({ status }) => status === 204)).toBe(true);
  expect((await sent).status).toBe(200);
  expect(await row()).toEqual({ current_state_version_id: made.item.id, resource_count: resources });
  const shown = await ground.call('GET', `/state-versions/${made.item.id}`);
  expect(shown.item.attributes['modules']).toEqual({ root: { t: resources } });
  const file = await fetch(String(shown.item.attributes['hosted-state-download-url']));
  expect(Buffer.from(await file.arrayBuffer()).equals(whole)).toBe(true);
});

test('a reader that disconnects in the middle of a file leaves nothing running', async () => {
  const text = JSON.stringify({ version: 4, padding: 'x'.repeat(20 * chunkBytes) });
  const { url, made } = await pendingVersion(text);
  await put(url, text);
  const shown = await ground.call('GET', `/state-versions/${made.item.id}`);
  const ending = new AbortController();
  const file = await fetch(String(shown.item.attributes['hosted-state-download-url']), { signal: ending.signal });
  const reader = file.body?.getReader();
  await reader?.read();
  ending.abort();
  await eventually(() => ground.service.store.connections().busy === 0);
});

test('a pending version is discarded when a newer one is final, and then refuses its file', async () => {
  const text = stateText();
  const { url, version, status, id, row } = await pendingVersion(text);
  const newer = await version(2);
  expect((await put(newer.item.attributes['hosted-state-upload-url'], text)).status).toBe(200);
  expect(await status()).toBe('discarded');
  const late = await put(url, text);
  expect(late.status).toBe(409);
  expect(await row()).toMatchObject({ current_state_version_id: newer.item.id });
  expect(await filesOf(ground, id)).toHaveLength(1);
});

test('an intermediate version becomes current when the lock ends, and the unlock waits while its upload is active', async () => {
  const text = stateText();
  const { id, url, made, row, version } = await pendingVersion(text, { intermediate: true });
  const { store } = ground.service;
  const pending = () => store.transaction((tx) => isStatePending(tx, { id, lock_epoch: '0' }));
  const promote = () => store.transaction((tx) => promoteIntermediate(tx, id));
  expect(await pending()).toBe(true);
  await promote();
  expect(await row()).toMatchObject({ current_state_version_id: null });
  await put(url, text);
  expect(await pending()).toBe(false);
  expect(await row()).toMatchObject({ current_state_version_id: null, resource_count: 0 });
  await promote();
  expect(await row()).toEqual({ current_state_version_id: made.item.id, resource_count: 2 });
  await version(2);
  expect(await pending()).toBe(true);
  await sql`update ws_state_versions set created_at = now() - interval '3 minutes' where workspace_id = ${id}`.execute(
    store.db,
  );
  expect(await pending()).toBe(false);
  await promote();
  expect(await row()).toMatchObject({ current_state_version_id: made.item.id });
});
