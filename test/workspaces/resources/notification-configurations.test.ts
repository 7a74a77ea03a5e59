import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { announce } from '#workspaces/resources/notification-deliveries/outbox.ts';
import { patience } from '../../support/measures/patience.ts';
import { ending } from '../../support/services.ts';
import { workspaceGround } from '../support/ground.ts';

const ground = workspaceGround();

/** A receiver that records its requests. */
async function receiver(status = 200) {
  const answers = { status };
  const received: { body: string; signature: unknown }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    received.push({
      body: Buffer.concat(chunks).toString(),
      signature: request.headers['x-tfe-notification-signature'],
    });
    response.writeHead(answers.status).end('marker-of-the-receiver');
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  ending({ close: async () => void server.close() });
  return {
    received,
    answers,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?secret=marker-query`,
  };
}

async function newWorkspace() {
  const organization = await ground.organization();
  const workspace = await ground.workspace(organization.id, organization.projectId);
  return { organization, workspace, path: `/workspaces/${workspace.id}/notification-configurations` };
}

const sent = (attributes: object) => ({ data: { type: 'notification-configurations', attributes } });

test('a configuration is created, read, updated, verified with a signed message and deleted', async () => {
  const { path } = await newWorkspace();
  const { url, received } = await receiver();
  const attributes = {
    name: 'ops',
    'destination-type': 'generic',
    url,
    token: 'marker-token',
    triggers: ['run:created'],
  };
  const made = await ground.call('POST', path, sent(attributes));
  expect(made.status).toBe(201);
  expect(made.item.attributes).toMatchObject({ name: 'ops', enabled: false, token: null, triggers: ['run:created'] });
  const one = `/notification-configurations/${made.item.id}`;
  const changed = await ground.call('PATCH', one, sent({ enabled: true }));
  expect(changed.item.attributes).toMatchObject({ enabled: true, name: 'ops' });
  expect(changed.item.attributes['delivery-responses']).toMatchObject([{ code: '200', successful: 'true' }]);
  const verified = await ground.call('POST', `${one}/actions/verify`);
  expect(verified.status).toBe(200);
  const delivery = { code: '200', successful: 'true' };
  expect(verified.item.attributes['delivery-responses']).toMatchObject([delivery, delivery]);
  expect(JSON.stringify(verified.item.attributes['delivery-responses'])).not.toContain('marker');
  expect(received).toHaveLength(2);
  for (const { body, signature } of received) {
    expect(signature).toBe(createHmac('sha512', 'marker-token').update(body).digest('hex'));
    expect(JSON.parse(body)).toEqual({
      payload_version: 1,
      notification_configuration_id: made.item.id,
      run_url: null,
      run_id: null,
      run_message: null,
      run_created_at: null,
      run_created_by: null,
      workspace_id: null,
      workspace_name: null,
      organization_name: null,
      notifications: [
        {
          message: 'Verification of ops',
          trigger: 'verification',
          run_status: null,
          run_updated_at: null,
          run_updated_by: null,
        },
      ],
    });
  }
  expect((await ground.call('GET', path)).items).toEqual([verified.item]);
  expect((await ground.call('DELETE', one)).status).toBe(204);
});

test('a stored token does not sign messages to another address', async () => {
  const { path } = await newWorkspace();
  const [first, other] = [await receiver(), await receiver()];
  const attributes = { name: 'ops', 'destination-type': 'generic', url: first.url, token: 'marker-token' };
  const { item } = await ground.call('POST', path, sent(attributes));
  await ground.call('PATCH', `/notification-configurations/${item.id}`, sent({ url: other.url }));
  await ground.call('POST', `/notification-configurations/${item.id}/actions/verify`);
  expect(other.received[0]?.signature).toBeUndefined();
});

test('an enabled configuration is only saved if its receiver accepts a verification request', async () => {
  const { path } = await newWorkspace();
  const { url, answers, received } = await receiver(410);
  const attributes = { name: 'ops', 'destination-type': 'generic', url, enabled: true };
  const refused = await ground.call('POST', path, sent(attributes));
  expect([refused.status, refused.errors[0]?.detail]).toEqual([400, expect.stringContaining('410')]);
  expect((await ground.call('GET', path)).items).toEqual([]);
  answers.status = 204;
  const made = await ground.call('POST', path, sent(attributes));
  expect(made.item.attributes).toMatchObject({ enabled: true, 'delivery-responses': [{ code: '204' }] });
  answers.status = 500;
  const one = `/notification-configurations/${made.item.id}`;
  expect((await ground.call('PATCH', one, sent({ name: 'other' }))).status).toBe(400);
  expect((await ground.call('GET', one)).item).toEqual(made.item);
  expect((await ground.call('PATCH', one, sent({ enabled: false }))).status).toBe(200);
  expect(received).toHaveLength(3);
});

test('a receiver that refuses is 400, and its response is not shown', async () => {
  const { path } = await newWorkspace();
  const { url } = await receiver(500);
  const { item } = await ground.call('POST', path, sent({ name: 'n', 'destination-type': 'slack', url }));
  const answer = await ground.call('POST', `/notification-configurations/${item.id}/actions/verify`);
  expect(answer.status).toBe(400);
  const shown = await ground.call('GET', `/notification-configurations/${item.id}`);
  expect(shown.item.attributes['delivery-responses']).toMatchObject([{ code: '500', successful: 'false' }]);
  expect(shown.text).not.toContain('marker-of-the-receiver');
});

test.each([
  { url: 'ftp://a.test' },
  { url: 'http://u:p@a.test' },
  { 'destination-type': 'pager' },
  { triggers: ['x'] },
  { triggers: ['run:created', 'team:change_request'] },
  { triggers: ['change_request:created'] },
])('%o is 422', async (wrong) => {
  const { path } = await newWorkspace();
  const attributes = { name: 'n', 'destination-type': 'generic', url: 'https://a.test', ...wrong };
  expect((await ground.call('POST', path, sent(attributes))).status).toBe(422);
});

test('callers that may not change settings cannot see receivers', async () => {
  const { organization, workspace, path } = await newWorkspace();
  const writer = await ground.team(organization.id);
  await ground.grant(writer.id, { workspace: workspace.id }, 'write');
  expect((await ground.call('GET', path, undefined, writer.token)).status).toBe(404);
});

test('messages about a run are sent after its transaction, once per subscribed receiver, and again after a failure', async () => {
  const { workspace, path } = await newWorkspace();
  const [wants, fails, other] = [await receiver(), await receiver(503), await receiver()];
  const receivers = [
    [wants.url, ['run:completed']],
    [fails.url, ['run:completed']],
    [other.url, ['run:created']],
  ] as const;
  fails.answers.status = 200;
  for (const [url, triggers] of receivers)
    await ground.call('POST', path, sent({ name: 'n', 'destination-type': 'generic', enabled: true, url, triggers }));
  fails.answers.status = 503;
  for (const { received } of [wants, fails, other]) received.length = 0;
  const run = { id: 'run-1', workspaceId: workspace.id, status: 'applied', message: 'm' };
  const { store } = ground.service;
  await store.transaction((tx) => announce(tx, run, 'run:completed'));
  await ground.service.notify();
  expect(JSON.parse(wants.received[0]?.body ?? '{}')).toMatchObject({
    run_id: 'run-1',
    workspace_id: workspace.id,
    notifications: [{ trigger: 'run:completed', run_status: 'applied' }],
  });
  const makeDue = sql`
    update ws_notifications set next_at = now() where workspace_id = ${workspace.id} and next_at is not null`;
  for (let round = 2; round <= 6; round += 1) {
    await makeDue.execute(store.db);
    await ground.service.notify();
  }
  expect([wants.received.length, fails.received.length, other.received.length]).toEqual([1, 4, 0]);
});

test('a project gets messages about runs of its workspaces, and a team about runs that it has access to', async () => {
  const { organization, workspace } = await newWorkspace();
  const team = await ground.team(organization.id);
  const strangers = await ground.team(organization.id);
  await ground.grant(team.id, { workspace: workspace.id }, 'read');
  const [ofProject, ofTeam, ofStrangers] = [await receiver(), await receiver(), await receiver()];
  const wanted = [
    ['projects', organization.projectId, ofProject.url],
    ['teams', team.id, ofTeam.url],
    ['teams', strangers.id, ofStrangers.url],
  ] as const;
  for (const [type, id, url] of wanted) {
    const path = `/${type}/${id}/notification-configurations`;
    const attributes = { name: 'n', 'destination-type': 'generic', enabled: true, url, triggers: ['run:created'] };
    const made = await ground.call('POST', path, sent(attributes));
    expect([made.status, made.item.relationships['subscribable']]).toEqual([201, { data: { type, id } }]);
    expect((await ground.call('GET', path)).items).toEqual([made.item]);
    const one = `/notification-configurations/${made.item.id}`;
    expect((await ground.call('GET', one, undefined, team.token)).status).toBe(404);
    expect((await ground.call('POST', path, sent(attributes), team.token)).status).toBe(404);
    expect((await ground.call('PATCH', one, sent({ name: 'm' }))).item.attributes['name']).toBe('m');
  }
  for (const { received } of [ofProject, ofTeam, ofStrangers]) received.length = 0;
  const run = { id: 'run-2', workspaceId: workspace.id, status: 'pending', message: 'm' };
  await ground.service.store.transaction((tx) => announce(tx, run, 'run:created'));
  await expect
    .poll(
      async () => {
        await ground.service.notify();
        return [ofProject.received.length, ofTeam.received.length];
      },
      { timeout: patience.conditionMs },
    )
    .toEqual([1, 1]);
  expect(ofStrangers.received).toEqual([]);
});
