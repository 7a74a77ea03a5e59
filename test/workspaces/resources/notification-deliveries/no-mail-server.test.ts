import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { documentOf } from '../../support/documents.ts';
import { workspaceGround } from '../../support/ground.ts';

const ground = workspaceGround();
const type = 'notification-configurations';

test('without a mail server e-mail is 422 with the name of the setting, and present configurations can still be disabled', async () => {
  const organization = await ground.organization();
  const workspace = await ground.workspace(organization.id, organization.projectId);
  const path = `/workspaces/${workspace.id}/${type}`;
  const refused = await ground.call('POST', path, documentOf(type, { name: 'n', 'destination-type': 'email' }));
  expect(refused.status).toBe(422);
  expect(refused.errors[0]?.detail).toContain('KEYFERRY_SMTP_URL');
  const settings = { name: 'n', 'destination-type': 'email', enabled: true, url: null, triggers: [] };
  await sql`
    insert into ws_notifications (id, organization_id, workspace_id, settings)
    values ('nc-former', ${organization.id}, ${workspace.id}, ${JSON.stringify({ ...settings, 'email-addresses': ['a@b.test'] })})`.execute(
    ground.service.store.db,
  );
  expect((await ground.call('POST', `/${type}/nc-former/actions/verify`)).status).toBe(400);
  const off = await ground.call('PATCH', `/${type}/nc-former`, documentOf(type, { enabled: false }));
  expect(off.item.attributes).toMatchObject({
    enabled: false,
    'delivery-responses': [{ code: '', successful: 'false', body: expect.stringContaining('KEYFERRY_SMTP_URL') }],
  });
});
