import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { eventually } from '#test/support/flow/open-service.ts';
import { refusal, startMailServer } from '#test/support/servers/mail-server.ts';
import { announce } from '#workspaces/resources/notification-deliveries/outbox.ts';
import { documentOf } from '../../support/documents.ts';
import { workspaceGround } from '../../support/ground.ts';

/** The reaction of the server to a recipient: a code rejects it, and `hang` never answers. */
let replies: Readonly<Record<string, number | 'hang'>> = {};
let hanging = 0;

const smtp = await startMailServer({
  onRcptTo({ address }, _session, taken) {
    const reply = replies[address] ?? replies['*'];
    if (reply === 'hang') {
      hanging += 1;
      return;
    }
    taken(reply === undefined ? undefined : refusal(reply, `marker-of-the-server ${address}`));
  },
});
afterAll(() => smtp.close());

const ground = workspaceGround({ KEYFERRY_SMTP_URL: smtp.url, KEYFERRY_SMTP_FROM: 'Keyferry <keyferry@a.test>' });

beforeEach(async () => {
  replies = {};
  smtp.received.length = 0;
  await sql`update ws_notifications set next_at = null, claimed_until = null`.execute(ground.service.store.db);
  await sql`delete from ws_deliveries`.execute(ground.service.store.db);
});

const type = 'notification-configurations';
const usual = { name: 'mail', 'destination-type': 'email', enabled: true, triggers: ['run:completed'] };
const usersOf = (...ids: readonly string[]) => ({ users: ids.map((id) => ({ type: 'users', id })) });

async function newWorkspace() {
  const organization = await ground.organization();
  const workspace = await ground.workspace(organization.id, organization.projectId);
  const path = `/workspaces/${workspace.id}/${type}`;
  const make = (attributes: object, relationships: Readonly<Record<string, unknown>> = {}) =>
    ground.call('POST', path, documentOf(type, { ...usual, ...attributes }, relationships));
  const tell = (id = 'run-1') =>
    ground.service.store.transaction((tx) =>
      announce(
        tx,
        { id, workspaceId: workspace.id, status: 'applied', message: 'm\r\nBcc: x@y.test' },
        'run:completed',
      ),
    );
  const makeDue = () =>
    sql`update ws_notifications set next_at = now() where workspace_id = ${workspace.id} and next_at is not null`.execute(
      ground.service.store.db,
    );
  const shown = async (id: string) =>
    (await ground.call('GET', `/${type}/${id}`)).item.attributes['delivery-responses'] as readonly object[];
  return { organization, workspace, path, make, tell, makeDue, shown };
}

test('a configuration with addresses and users is verified, and messages are sent to both', async () => {
  const { organization, workspace, path, make, tell, shown } = await newWorkspace();
  const user = await ground.user(organization.id);
  const made = await make({ 'email-addresses': ['ops@b.test', 'OPS@b.test'] }, usersOf(user.id));
  expect(made.status, made.text).toBe(201);
  expect(made.item.attributes).toMatchObject({
    'destination-type': 'email',
    'email-addresses': ['ops@b.test', 'OPS@b.test'],
    url: null,
    token: null,
  });
  expect(made.item.relationships['users']).toEqual({ data: [{ type: 'users', id: user.id }] });
  expect((await ground.call('GET', path)).items).toEqual([made.item]);
  const verified = await ground.call('POST', `/${type}/${made.item.id}/actions/verify`);
  expect(verified.status, verified.text).toBe(200);
  const to = ['ops@b.test', `${user.id}@b.test`.toLowerCase()].toSorted();
  expect(smtp.received).toMatchObject([{ to, from: 'keyferry@a.test' }]);
  expect(smtp.received[0]?.raw).toContain('Subject: Keyferry: verification');
  await tell();
  await ground.service.notify();
  expect(smtp.received).toHaveLength(2);
  const { raw = '', to: recipients } = smtp.received[1] ?? {};
  expect(recipients).toEqual(to);
  const [headers = '', ...body] = raw.split('\r\n\r\n');
  expect(headers).toContain(`Subject: ${workspace.name}: run:completed`);
  expect(headers).not.toMatch(/bcc|@b\.test/i);
  for (const line of ['run_id: run-1', 'trigger: run:completed', 'run_status: applied'])
    expect(body.join()).toContain(line);
  const delivery = { url: '', code: '250', successful: 'true', body: '' };
  expect(await shown(made.item.id)).toMatchObject([delivery, delivery]);
});

test('only users who are members of the organization get messages, and only while they are members', async () => {
  const { organization, make, tell } = await newWorkspace();
  const other = await ground.organization();
  const [member, leaves, stranger] = [
    await ground.user(organization.id),
    await ground.user(organization.id),
    await ground.user(other.id),
  ];
  const refused = await make({}, usersOf(stranger.id));
  const missing = await make({}, usersOf('user-none'));
  expect([refused.status, missing.status, refused.text]).toEqual([422, 422, missing.text]);
  const { item } = await make({}, usersOf(member.id, leaves.id));
  await sql`delete from ws_memberships where user_id = ${leaves.id}`.execute(ground.service.store.db);
  await tell();
  await ground.service.notify();
  expect(smtp.received).toMatchObject([{ to: [`${member.id}@b.test`.toLowerCase()] }]);
  await sql`update ws_users set suspended = true where id = ${member.id}`.execute(ground.service.store.db);
  expect((await ground.call('POST', `/${type}/${item.id}/actions/verify`)).status).toBe(400);
  expect(smtp.received).toHaveLength(1);
  const kept = await ground.call('PATCH', `/${type}/${item.id}`, documentOf(type, { name: 'n' }));
  expect(kept.item.relationships['users']).toEqual({ data: [{ type: 'users', id: member.id }] });
  const none = await ground.call('PATCH', `/${type}/${item.id}`, documentOf(type, {}, usersOf()));
  expect(none.item.relationships['users']).toEqual({ data: [] });
});

test.each([
  [{ url: 'https://a.test' }],
  [{ token: 'marker-token' }],
  [{ 'email-addresses': ['no address'] }],
  [{ 'email-addresses': ['a@b.test\r\nRCPT TO:<x@y.test>'] }],
  [{ 'email-addresses': ['A <a@b.test>'] }],
  [{ 'email-addresses': ['a@b.test,c@d.test'] }],
  [{ 'email-addresses': [7] }],
  [{ 'email-addresses': Array.from({ length: 51 }, (_, n) => `a${n}@b.test`) }],
  [{ 'destination-type': 'generic', url: 'https://a.test', 'email-addresses': ['a@b.test'] }],
])('%o is 422', async (wrong) => {
  const { make } = await newWorkspace();
  expect((await make(wrong)).status).toBe(422);
});

test('a configuration has at most 50 addresses and users together, and users only for e-mail', async () => {
  const { organization, make } = await newWorkspace();
  const user = await ground.user(organization.id);
  const addresses = Array.from({ length: 50 }, (_, n) => `a${n}@b.test`);
  expect((await make({ 'email-addresses': addresses })).status).toBe(201);
  expect((await make({ 'email-addresses': addresses }, usersOf(user.id))).status).toBe(422);
  const hook = { 'destination-type': 'generic', url: 'https://a.test' };
  expect((await make(hook, usersOf(user.id))).status).toBe(422);
});

test('recipients get a message once, and permanently rejected recipients do not delay others', async () => {
  const { make, tell, makeDue, shown } = await newWorkspace();
  const { item } = await make({ 'email-addresses': ['ok@b.test', 'gone@b.test', 'full@b.test'] });
  replies = { 'gone@b.test': 550, 'full@b.test': 452 };
  await tell();
  await ground.service.notify();
  expect(smtp.received.map(({ to }) => to)).toEqual([['ok@b.test']]);
  replies = {};
  await makeDue();
  await ground.service.notify();
  expect(smtp.received.map(({ to }) => to)).toEqual([['ok@b.test'], ['full@b.test']]);
  expect(await shown(item.id)).toMatchObject([
    { code: '250', successful: 'true' },
    { code: '250', successful: 'false', body: '2 of 3 recipients were refused' },
  ]);
  const { rows } = await sql`select 1 from ws_deliveries where notification_id = ${item.id}`.execute(
    ground.service.store.db,
  );
  expect(rows).toEqual([]);
});

test('a server that refuses is tried four times; its code is shown, its text is not', async () => {
  const { make, tell, makeDue, shown } = await newWorkspace();
  const { item } = await make({ 'email-addresses': ['a@b.test'] });
  replies = { '*': 550 };
  await tell();
  for (let round = 1; round <= 6; round += 1) {
    await ground.service.notify();
    await makeDue();
  }
  const deliveries = await shown(item.id);
  expect(deliveries).toHaveLength(4);
  expect(deliveries[0]).toMatchObject({ code: '550', successful: 'false' });
  const verified = await ground.call('POST', `/${type}/${item.id}/actions/verify`);
  expect([verified.status, verified.text.includes('marker')]).toEqual([400, false]);
  expect(JSON.stringify(deliveries)).not.toContain('marker');
});

test('a hanging mail server does not delay webhooks, and aborted messages are sent again', async () => {
  const { make, tell, shown } = await newWorkspace();
  const made: string[] = [];
  for (let n = 0; n < 8; n += 1) made.push((await make({ 'email-addresses': [`a${n}@b.test`] })).item.id);
  replies = { '*': 'hang' };
  hanging = 0;
  await tell();
  const stop = new AbortController();
  const sending = ground.service.notify(stop.signal);
  await eventually(() => hanging === 4);
  const { make: makeHook, tell: tellHook } = await newWorkspace();
  const hook = await makeHook({ 'destination-type': 'generic', url: `${ground.service.address}/none`, enabled: false });
  // Its receiver would refuse the verification.
  await sql`update ws_notifications set settings = settings || '{"enabled": true}' where id = ${hook.item.id}`.execute(
    ground.service.store.db,
  );
  await tellHook();
  await eventually(async () => (await shown(hook.item.id)).length === 1);
  expect(hanging).toBe(4);
  stop.abort();
  await sending;
  replies = {};
  await ground.service.notify();
  expect(smtp.received).toHaveLength(8);
  for (const id of made) expect(await shown(id)).toMatchObject([{ code: '250' }]);
});
