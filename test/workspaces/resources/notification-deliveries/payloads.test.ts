import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { eventually } from '#test/support/flow/open-service.ts';
import { ending } from '#test/support/services.ts';
import { workspaceGround } from '../../support/ground.ts';
import { runnableWorkspace } from '../runs/runs-of.ts';

const ground = workspaceGround();

async function receiver() {
  const received: unknown[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    received.push(JSON.parse(Buffer.concat(chunks).toString()));
    response.end();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  ending({ close: async () => void server.close() });
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

/** The message that a receiver of this type gets about a canceled run. */
async function messageTo(type: string) {
  const { url, received } = await receiver();
  const { configuration, run, act, workspace, organization, planner, writer } = await runnableWorkspace(ground);
  await configuration();
  const attributes = { name: 'n', 'destination-type': type, enabled: true, url, triggers: ['run:errored'] };
  const path = `/workspaces/${workspace.id}/notification-configurations`;
  const made = await ground.call('POST', path, { data: { type: 'notification-configurations', attributes } });
  expect(made.status, made.text).toBe(201);
  received.length = 0;
  const { id, attributes: shown } = (await run({ message: '<!channel> *m* & [a](b)' }, planner.token)).item;
  await act(id, 'cancel');
  await eventually(async () => {
    await ground.service.notify();
    return received.length === 1;
  });
  const link = `${ground.service.address}/app/${organization.name}/workspaces/${workspace.name}/runs/${id}`;
  return { message: received[0], id, link, workspace, organization, made: made.item, shown, planner, writer };
}

test('a generic message has all members of the family, with an absolute address of the run', async () => {
  const { message, id, link, workspace, organization, made, shown, planner, writer } = await messageTo('generic');
  expect(message).toEqual({
    payload_version: 1,
    notification_configuration_id: made.id,
    run_url: link,
    run_id: id,
    run_message: '<!channel> *m* & [a](b)',
    run_created_at: shown['created-at'],
    run_created_by: planner.id,
    workspace_id: workspace.id,
    workspace_name: workspace.name,
    organization_name: organization.name,
    notifications: [
      {
        message: 'Run Canceled',
        trigger: 'run:errored',
        run_status: 'canceled',
        run_updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/),
        run_updated_by: writer.id,
      },
    ],
  });
});

test('a message to Slack has a title with a link, and no mention', async () => {
  const { message, link, workspace } = await messageTo('slack');
  const title = `${workspace.name}: run:errored`;
  expect(message).toMatchObject({ text: title, attachments: [{ title, title_link: link, fallback: title }] });
  const text = JSON.stringify(message);
  expect(text).toContain('&lt;!channel&gt; *m* &amp; [a](b)');
  expect(text).not.toContain('<!');
});

test('a message to Teams is a card that shows texts without markup', async () => {
  const { message, link } = await messageTo('microsoft-teams');
  const run = (text: string) => ({ type: 'RichTextBlock', inlines: [{ type: 'TextRun', text }] });
  expect(message).toMatchObject({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        content: {
          type: 'AdaptiveCard',
          body: expect.arrayContaining([run('run_message: <!channel> *m* & [a](b)'), run('run_status: canceled')]),
          actions: [{ type: 'Action.OpenUrl', url: link }],
        },
      },
    ],
  });
});
