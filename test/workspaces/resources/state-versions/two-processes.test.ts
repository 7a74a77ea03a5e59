import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Api, openApi } from '#app.ts';
import { silentLog } from '#core/log/log.ts';
import { chunkBytes } from '#workspaces/resources/state-blobs/parts.ts';
import { filesOf, lockedWorkspace, md5Of, put, stateText, stateVersion } from '../../support/files.ts';
import { workspaceGround } from '../../support/ground.ts';

const ground = workspaceGround();
let other: Api;
let otherPort = 0;

beforeAll(async () => {
  other = await openApi({ config: ground.service.config, log: silentLog });
  otherPort = (await other.listen(0, '127.0.0.1')).port;
});
afterAll(() => other.close());

/** A state of several chunks, so that its uploads overlap. */
const longState = (secret: string): string => `${stateText({ secret })}${' '.repeat(5 * chunkBytes)}`;

/** The address at the first process for even numbers, at the second one for odd numbers. */
function atProcess(url: unknown, n: number): string {
  const address = new URL(String(url));
  if (n % 2 === 1) address.port = String(otherPort);
  return address.href;
}

async function pendingVersion(text: string) {
  const locked = await lockedWorkspace(ground);
  const made = await ground.call('POST', locked.path, stateVersion({ serial: 1, md5: md5Of(text) }), locked.user.token);
  const shown = async () => (await ground.call('GET', `/state-versions/${made.item.id}?include=outputs`)).item;
  const outputs = async () => (await ground.call('GET', `/state-versions/${made.item.id}/outputs`)).items;
  return { ...locked, id: made.item.id, workspaceId: locked.id, sent: made.item.attributes, shown, outputs };
}

const sendAll = async (url: unknown, texts: readonly string[]): Promise<readonly number[]> =>
  (await Promise.all(texts.map((text, n) => put(atProcess(url, n), text)))).map(({ status }) => status);

const textAt = async (url: unknown): Promise<string> => (await fetch(atProcess(url, 1))).text();

test('of different states that two processes receive concurrently one is stored completely, with its outputs', async () => {
  const texts = Array.from({ length: 6 }, (_value, n) => longState(`secret-${n}`));
  const { id, workspaceId, sent, shown, outputs, row } = await pendingVersion('');
  // Otherwise only one of them would have the announced hash.
  await sql`update ws_state_versions set md5 = null where id = ${id}`.execute(ground.service.store.db);
  const statuses = await sendAll(sent['hosted-state-upload-url'], texts);
  expect(statuses.toSorted()).toEqual([200, 409, 409, 409, 409, 409]);
  const winner = statuses.indexOf(200);
  const { attributes } = await shown();
  expect(attributes).toMatchObject({ status: 'finalized', md5: md5Of(texts[winner] ?? '') });
  expect(await textAt(attributes['hosted-state-download-url'])).toBe(texts[winner]);
  const found = await outputs();
  expect(found.map((output) => output.attributes['name'])).toEqual(['plain', 'hidden', 'many']);
  expect(found[1]?.attributes['value']).toBe(`secret-${winner}`);
  expect(await filesOf(ground, workspaceId)).toHaveLength(1);
  expect(await row()).toEqual({ current_state_version_id: id, resource_count: 2 });
});

test('only the announced state is accepted, even if it is sent twice', async () => {
  const [right, wrong] = [longState('right'), longState('wrong')];
  const { workspaceId, sent, shown, outputs } = await pendingVersion(right);
  const statuses = await sendAll(sent['hosted-state-upload-url'], [right, right, wrong, wrong]);
  expect(statuses.slice(0, 2)).toEqual([200, 200]);
  for (const status of statuses.slice(2)) expect([409, 412]).toContain(status);
  expect(await textAt((await shown()).attributes['hosted-state-download-url'])).toBe(right);
  expect(await outputs()).toHaveLength(3);
  expect(await filesOf(ground, workspaceId)).toHaveLength(1);
});

test('of different states in JSON one is stored', async () => {
  const text = stateText();
  const { workspaceId, sent, shown } = await pendingVersion(text);
  const texts = Array.from({ length: 4 }, (_value, n) => `{"n":${n}}${' '.repeat(2 * chunkBytes)}`);
  const [statuses] = await Promise.all([
    sendAll(sent['hosted-json-state-upload-url'], texts),
    sendAll(sent['hosted-state-upload-url'], [text, text]),
  ]);
  expect(statuses.toSorted()).toEqual([200, 409, 409, 409]);
  const { attributes } = await shown();
  expect(await textAt(attributes['hosted-json-state-download-url'])).toBe(texts[statuses.indexOf(200)]);
  expect((await filesOf(ground, workspaceId)).map(({ kind }) => kind).toSorted()).toEqual(['json-state', 'state']);
});
