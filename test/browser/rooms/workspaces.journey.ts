import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { runnableWorkspace } from '#test/workspaces/resources/runs/runs-of.ts';
import { documentOf } from '#test/workspaces/support/documents.ts';
import { md5Of, put, stateText } from '#test/workspaces/support/files.ts';
import { groundOn } from '#test/workspaces/support/ground.ts';
import { bothColours, browsing, hasBrowser, logIn, violations } from '../support/browse.ts';

const service = serviceOf([], { KEYFERRY_WORKSPACE_REQUESTS_PER_SECOND: '0' });
const ground = groundOn(service);
const { visit } = browsing(service);

const hostile = '<img src=x onerror="document.title=1">';

async function place() {
  const organization = await ground.organization();
  const workspace = await ground.workspace(organization.id, organization.projectId);
  return { organization, workspace, at: `/ui/workspaces/${organization.name}/${workspace.name}` };
}

/** Writes a state as the holder of the lock, which the site administrator takes and gives back. */
async function writeState(workspaceId: string, text: string, serial: number) {
  await ground.call('POST', `/workspaces/${workspaceId}/actions/lock`, {});
  const made = await ground.call(
    'POST',
    `/workspaces/${workspaceId}/state-versions`,
    documentOf('state-versions', {
      serial,
      md5: md5Of(text),
      lineage: 'l-1',
      state: Buffer.from(text).toString('base64'),
    }),
  );
  expect([made.status, made.text]).toEqual([201, expect.anything()]);
  await ground.call('POST', `/workspaces/${workspaceId}/actions/unlock`);
}

describe.skipIf(!hasBrowser())('workspaces', () => {
  test.each(bothColours)('are found, locked with a reason, and unlocked by force (%s)', async (colours) => {
    const { organization, workspace, at } = await place();
    const opened = await visit('/ui/workspaces', colours);
    const { page } = opened;
    await logIn(opened, service.rootToken);
    await page.getByRole('row').filter({ hasText: organization.name }).click();
    await page.getByText('1 workspace', { exact: true }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('row').filter({ hasText: workspace.name }).click();
    await page.getByText('No run yet').waitFor();
    await expect.poll(() => page.url()).toBe(`${service.address}${at}`);
    await page.getByRole('button', { name: 'Lock', exact: true }).click();
    await page.getByLabel('Reason').fill(`moving house ${hostile}`);
    expect(await violations(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Lock', exact: true }).click();
    await page.getByText(`holds the lock: moving house ${hostile}`).waitFor();
    const read = () => ground.call('GET', `/workspaces/${workspace.id}`);
    expect((await read()).item.attributes['locked']).toBe(true);
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Unlock by force' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Unlock by force' }).click();
    await page.getByRole('button', { name: 'Lock', exact: true }).waitFor();
    expect((await read()).item.attributes['locked']).toBe(false);
  });

  test.each(bothColours)('show which resources differ between two states, and outputs masked (%s)', async (colours) => {
    const { workspace, at } = await place();
    const first = stateText({ serial: 1, secret: 'marker-output' });
    const second = stateText({ serial: 2, secret: 'marker-output' }).replace('"name": "two"', '"name": "three"');
    await writeState(workspace.id, first, 1);
    await writeState(workspace.id, second, 2);
    const opened = await visit(`${at}/states`, colours);
    const { page } = opened;
    const files: string[] = [];
    page.on('request', (request) => files.push(request.url()));
    await logIn(opened, service.rootToken);
    await page.getByText('2 versions').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByText('1 added · 0 changed · 1 removed').waitFor();
    const lines = page.getByRole('list', { name: 'Differences' }).getByRole('listitem');
    await expect
      .poll(() => lines.allTextContents())
      .toEqual(['Addedmodule.m.data.http.three1 instance', 'Removedmodule.m.data.http.two1 instance']);
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('row').filter({ hasText: 'Current' }).click();
    await page.getByRole('button', { name: 'Show hidden' }).waitFor();
    expect(await page.content()).not.toContain('marker-output');
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Show hidden' }).click();
    await page.getByText('marker-output').waitFor();
    expect(files.filter((url) => url.includes('state-files'))).toEqual([]);
  });

  test.each(bothColours)('get variables, whose sensitive values are never shown (%s)', async (colours) => {
    const { organization, workspace, at } = await place();
    const set = await ground.call('POST', `/organizations/${organization.name}/varsets`, {
      data: { type: 'varsets', attributes: { name: 'shared', global: true } },
    });
    await ground.call(
      'POST',
      `/varsets/${set.item.id}/relationships/vars`,
      documentOf('vars', { key: 'REGION', value: 'eu-1', category: 'env' }),
    );
    const opened = await visit(`${at}/variables`, colours);
    const { page } = opened;
    await logIn(opened, service.rootToken);
    await page.getByRole('region', { name: 'Set shared' }).getByText('eu-1').waitFor();
    await page.getByRole('button', { name: 'New variable: Variables of this workspace' }).click();
    await page.getByLabel('Sensitive').check();
    await page.getByLabel('Key (required)').fill('password');
    await page.getByLabel('Value', { exact: true }).fill('marker-variable');
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Sensitive: cannot be read').waitFor();
    expect(await page.content()).not.toContain('marker-variable');
    expect(await violations(page)).toEqual([]);
    const stored = async () => (await ground.call('GET', `/workspaces/${workspace.id}/vars`)).items;
    const [before] = await stored();
    expect(before?.attributes).toMatchObject({ key: 'password', sensitive: true, category: 'terraform' });
    await page.getByRole('button', { name: 'Edit password' }).click();
    await page.getByLabel('Description').fill('of the database');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('of the database').waitFor();
    const values = await sql<{ value: Buffer }>`select value from ws_variables where id = ${before?.id}`.execute(
      service.store.db,
    );
    expect(
      service.store.barrier.open(values.rows[0]?.value ?? Buffer.alloc(0), `ws_variables/${before?.id}`).toString(),
    ).toBe('marker-variable');
    await page.getByRole('button', { name: 'Delete password' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No variables yet.').waitFor();
    expect(await stored()).toEqual([]);
  });

  test.each(bothColours)('show a run with its log while it grows, and confirm it (%s)', async (colours) => {
    const runnable = await runnableWorkspace(ground);
    const { organization, workspace } = runnable;
    await runnable.configuration();
    const made = await runnable.run({ message: `from a test ${hostile}` });
    const { id } = made.item;
    await runnable.report(id, 'plan', { status: 'running' });
    const part = await ground.call('GET', `/runs/${id}/plan`, undefined, runnable.writer.token);
    const upload = (text: string) => put(part.item.attributes['log-upload-url'], text);
    await upload(`Refreshing ✓ \u001b[1mpassword\u001b[0m = ***\n${hostile}\n`);
    const opened = await visit(`/ui/workspaces/${organization.name}/${workspace.name}/runs`, colours);
    const { page } = opened;
    await logIn(opened, service.rootToken);
    await page.getByRole('row').filter({ hasText: 'from a test' }).click();
    const log = page.getByRole('log', { name: 'Log of the plan' });
    await log.getByText('password = ***').waitFor();
    await upload(`Refreshing ✓ \u001b[1mpassword\u001b[0m = ***\n${hostile}\nPlan: 2 to add\n`);
    await log.getByText('Plan: 2 to add').waitFor();
    await expect.poll(() => log.textContent()).toBe(`Refreshing ✓ password = ***\n${hostile}\nPlan: 2 to add\n`);
    await runnable.report(id, 'plan', { status: 'finished', 'has-changes': true, 'resource-additions': 2 });
    await page.getByRole('button', { name: 'Confirm and apply' }).click();
    await page.getByLabel('Comment').fill('looks right');
    expect(await violations(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Confirm and apply' }).click();
    await page.getByText('looks right').waitFor();
    await expect.poll(() => runnable.status(id)).toBe('apply_queued');
    await page.getByRole('region', { name: 'Run', exact: true }).getByText('Apply queued').waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await page.title()).not.toBe('1');
  });

  test.each(bothColours)('are shared with teams, and set up (%s)', async (colours) => {
    const { organization, workspace, at } = await place();
    const team = await ground.team(organization.id);
    const opened = await visit(`${at}/teams`, colours);
    const { page } = opened;
    await logIn(opened, service.rootToken);
    await page.getByText('No team has access of its own').waitFor();
    await page.getByRole('button', { name: 'Add a team' }).click();
    await page.getByLabel('Access', { exact: true }).selectOption('plan');
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: `Change the access of ${team.id}` }).click();
    await page.getByLabel('Access', { exact: true }).selectOption('write');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Write', { exact: true }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: `Remove ${team.id}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('No team has access of its own').waitFor();
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByLabel('Description').fill('the shop');
    await page.getByLabel('Apply without confirmation').check();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The settings are stored.').waitFor();
    expect((await ground.call('GET', `/workspaces/${workspace.id}`)).item.attributes).toMatchObject({
      description: 'the shop',
      'auto-apply': true,
      'execution-mode': 'remote',
    });
    await page.getByRole('link', { name: 'Health' }).click();
    await page.getByText('Not assessed yet').waitFor();
    expect(await violations(page)).toEqual([]);
  });

  test('are listed page by page at ten thousand, and narrowed by the server', async () => {
    const { organization } = await place();
    await sql`
      insert into ws_workspaces (id, organization_id, project_id, name, engine_version)
      select 'ws-many' || n, ${organization.id}, ${organization.projectId}, 'many-' || lpad(n::text, 5, '0'), '1.11.4'
        from generate_series(1, 10000) n`.execute(service.store.db);
    const opened = await visit(`/ui/workspaces/${organization.name}`);
    const { page } = opened;
    await logIn(opened, service.rootToken);
    await page.getByText(/^10[,. ]?001 workspaces$/).waitFor();
    const rows = page.getByRole('grid', { name: 'Workspaces' }).getByRole('row');
    await rows.filter({ hasText: 'many-00001' }).waitFor();
    expect(await rows.count()).toBeLessThan(60);
    await rows.filter({ hasText: 'many-00001' }).press('End');
    await rows.filter({ hasText: 'many-00200' }).waitFor();
    await page.getByLabel('Name contains').fill('09999');
    await page.getByText('1 workspace', { exact: true }).waitFor();
    await page.reload();
    await page.getByText('1 workspace', { exact: true }).waitFor();
    await page.getByLabel('Current run').selectOption('Applied');
    await page.getByText('No workspace matches').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await rows.filter({ hasText: 'many-00001' }).waitFor();
  });

  test.each(bothColours)('say what a caller lacks that is none of their users (%s)', async (colours) => {
    const made = await service.ask('POST', 'auth/token/create', { policies: ['default'] });
    const { client_token } = made.body['auth'] as { client_token: string };
    const opened = await visit('/ui/workspaces', colours);
    const { page, forgive } = opened;
    forgive(/status of 401/);
    await logIn(opened, client_token);
    await page.getByText('You are no user of the workspace service').waitFor();
    await page.getByText('your token has no entity').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  });
});
