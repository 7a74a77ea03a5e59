import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { eventually } from '#test/support/flow/open-service.ts';
import { lockedWorkspace, md5Of, stateText, stateVersion } from '../../support/files.ts';
import { workspaceGround } from '../../support/ground.ts';

/** The interval at which the server checks for late requests. */
const requestMsMax = 1_000;
const ground = workspaceGround({ KEYFERRY_REQUEST_MS_MAX: String(requestMsMax) });

/** Sends a text in parts, with a pause after each. Returns the status, or the error of the connection. */
function sendSlowly(method: string, url: string, headers: object, parts: readonly string[]): Promise<number | string> {
  return new Promise((resolve) => {
    const length = Buffer.byteLength(parts.join(''));
    const sending = request(url, { method, headers: { ...headers, 'content-length': length } });
    sending.on('response', (answer) => resolve(answer.statusCode ?? 0));
    sending.on('error', ({ message }) => resolve(message));
    const send = async () => {
      for (const part of parts) {
        sending.write(part);
        await delay(requestMsMax);
      }
      sending.end();
    };
    void send();
  });
}

test('an upload may take longer than other requests', async () => {
  const text = stateText();
  const { path, user } = await lockedWorkspace(ground);
  const made = await ground.call('POST', path, stateVersion({ serial: 1, md5: md5Of(text) }), user.token);
  const parts = [text.slice(0, 40), text.slice(40, 80), text.slice(80, 120), text.slice(120, 160), text.slice(160)];
  expect(await sendSlowly('PUT', String(made.item.attributes['hosted-state-upload-url']), {}, parts)).toBe(200);
});

test('the sweep keeps an upload in progress after its state version has expired', async () => {
  const { db } = ground.service.store;
  const text = stateText();
  const { id, path, user } = await lockedWorkspace(ground);
  const made = await ground.call('POST', path, stateVersion({ serial: 1, md5: md5Of(text) }), user.token);
  const address = String(made.item.attributes['hosted-state-upload-url']);
  let isArriving: () => void = () => {};
  const swept = Promise.withResolvers<void>();
  const arriving = new Promise<void>((resolve) => {
    isArriving = resolve;
  });
  const sent = new Promise<number | string>((resolve) => {
    const sending = request(address, { method: 'PUT', headers: { 'content-length': Buffer.byteLength(text) } });
    sending.on('response', (answer) => resolve(answer.statusCode ?? 0));
    sending.on('error', ({ message }) => resolve(message));
    sending.write(text.slice(0, 40), isArriving);
    void swept.promise.then(() => sending.end(text.slice(40)));
  });
  await arriving;
  await eventually(async () => {
    const { rows } = await sql`select 1 from ws_blobs where workspace_id = ${id} and not whole`.execute(db);
    return rows.length > 0;
  });
  await sql`update ws_state_versions set created_at = created_at - interval '27 hours' where workspace_id = ${id}`.execute(
    db,
  );
  await ground.service.sweep();
  swept.resolve();
  expect(await sent).toBe(200);
});

test('any other request may not', async () => {
  const headers = { authorization: `Bearer ${ground.service.rootToken}`, 'content-type': 'application/vnd.api+json' };
  const url = `${ground.service.address}/api/v2/runs`;
  expect(await sendSlowly('POST', url, headers, ['{', ' ', ' ', ' ', ' ', ' ', '}'])).toBe(408);
});
