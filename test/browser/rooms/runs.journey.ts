import { describe, expect, test } from 'vitest';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { runnableWorkspace } from '#test/workspaces/resources/runs/runs-of.ts';
import { documentOf } from '#test/workspaces/support/documents.ts';
import { md5Of, stateText } from '#test/workspaces/support/files.ts';
import { groundOn, type WorkspaceGround } from '#test/workspaces/support/ground.ts';
import { bothColours, browsing, hasBrowser, logIn, refusal, violations } from '../support/browse.ts';

const service = serviceOf([], { KEYFERRY_WORKSPACE_REQUESTS_PER_SECOND: '0' });
const ground = groundOn(service);
const { visit } = browsing(service);
const hostile = '<img src=x onerror="document.title=1">';

type Runnable = Awaited<ReturnType<typeof runnableWorkspace>>;
const urlOf = ({ organization, workspace }: Runnable, tab = '') =>
  `/ui/workspaces/${organization.name}/${workspace.name}${tab}`;

/** A token of the secrets service for one of the users of a workspace. */
async function tokenOf(user: Runnable['reader']): Promise<string> {
  await service.ask('POST', 'auth/token/roles/alias', { allowed_entity_aliases: '*', orphan: true });
  const { body } = await service.ask('POST', 'auth/token/create/alias', {
    entity_alias: user.id,
    policies: ['default'],
  });
  const { client_token, entity_id } = body['auth'] as { client_token: string; entity_id: string };
  const bound = await ground.call('PATCH', `/admin/users/${user.id}`, documentOf('users', { 'entity-id': entity_id }));
  expect(bound.status).toBe(200);
  return client_token;
}

const attributesOf = async (id: string, from: WorkspaceGround = ground) =>
  (await from.call('GET', `/runs/${id}`)).item.attributes;

describe.skipIf(!hasBrowser())('runs', () => {
  test.each(bothColours)('are started by the page, confirmed and canceled (%s)', async (colours) => {
    const runnable = await runnableWorkspace(ground);
    await runnable.configuration();
    const opened = await visit(urlOf(runnable), colours);
    const { page } = opened;
    await logIn(opened, service.rootToken);
    await page.getByRole('button', { name: 'Start a run' }).click();
    await page.getByLabel('Message').fill(`by the page ${hostile}`);
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByRole('region', { name: 'Run', exact: true }).getByText(`by the page ${hostile}`).waitFor();
    const id = new URL(page.url()).searchParams.get('run') ?? '';
    expect(await attributesOf(id)).toMatchObject({
      message: `by the page ${hostile}`,
      'is-destroy': false,
      'plan-only': false,
      'refresh-only': false,
    });
    await runnable.planned(id);
    await page.getByRole('button', { name: 'Confirm and apply' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Confirm and apply' }).click();
    await page.getByRole('region', { name: 'Run', exact: true }).getByText('Apply queued').waitFor();
    await page.getByRole('button', { name: 'Cancel the run' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the run' }).click();
    await page.getByRole('region', { name: 'Run', exact: true }).getByText('Canceled').waitFor();
    expect(await page.title()).not.toBe('1');
    expect(await violations(page)).toEqual([]);
  });

  test.each([
    ['Plan only', { 'plan-only': true }],
    ['Refresh only', { 'refresh-only': true }],
    ['Destroy', { 'is-destroy': true }],
  ])('of the kind %s are started', async (kind, attributes) => {
    const runnable = await runnableWorkspace(ground);
    await runnable.configuration();
    const opened = await visit(urlOf(runnable, '/runs'));
    const { page } = opened;
    await logIn(opened, service.rootToken);
    await page.getByRole('button', { name: 'Start a run' }).click();
    await page.getByLabel('Kind').selectOption(kind);
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByRole('region', { name: 'Course' }).waitFor();
    expect(await attributesOf(new URL(page.url()).searchParams.get('run') ?? '')).toMatchObject(attributes);
  });

  test('are not started without a configuration, nor by who may not', async () => {
    const runnable = await runnableWorkspace(ground);
    const opened = await visit(urlOf(runnable));
    opened.forgive(/status of 422/);
    await logIn(opened, service.rootToken);
    await opened.page.getByRole('button', { name: 'Start a run' }).click();
    await opened.page.getByRole('button', { name: 'Start', exact: true }).click();
    await opened.page.getByRole('alert').filter({ hasText: 'Configuration version is missing' }).waitFor();

    const planning = await visit(urlOf(runnable));
    planning.forgive(/status of 40[0134]/);
    await logIn(planning, await tokenOf(runnable.planner));
    await planning.page.getByRole('button', { name: 'Start a run' }).click();
    await planning.page.getByLabel('Kind').selectOption('Destroy');
    await refusal(planning.page, 'Start', 'do not let you destroy its resources');

    const set = await ground.call('POST', `/organizations/${runnable.organization.name}/varsets`, {
      data: { type: 'varsets', attributes: { name: 'shared', global: true } },
    });
    await ground.call(
      'POST',
      `/varsets/${set.item.id}/relationships/vars`,
      documentOf('vars', { key: 'REGION', value: 'eu-1', category: 'env' }),
    );
    const reading = await visit(urlOf(runnable, '/variables'));
    reading.forgive(/status of 40[0134]/);
    await logIn(reading, await tokenOf(runnable.reader));
    const { page } = reading;
    await refusal(page, 'Start a run', 'do not let you start runs');
    await page.getByRole('region', { name: 'Set shared' }).getByText('eu-1').waitFor();
    await refusal(page, 'New variable: Set shared', 'may not change its variable sets');
    await refusal(page, 'Edit REGION', 'may not change its variable sets');
    await refusal(page, 'Delete REGION', 'may not change its variable sets');
    await refusal(page, 'Lock', 'do not let you lock');
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await violations(page)).toEqual([]);
  });
});

describe.skipIf(!hasBrowser())('state versions', () => {
  test('of different pages are compared', async () => {
    const { workspace, ...runnable } = await runnableWorkspace(ground);
    await ground.call('POST', `/workspaces/${workspace.id}/actions/lock`, {});
    for (let serial = 1; serial <= 12; serial += 1) {
      const text = stateText({ serial, secret: 'x' });
      const state = serial === 1 ? text.replace('"name": "two"', '"name": "first"') : text;
      const made = await ground.call(
        'POST',
        `/workspaces/${workspace.id}/state-versions`,
        documentOf('state-versions', {
          serial,
          md5: md5Of(state),
          lineage: 'l-1',
          state: Buffer.from(state).toString('base64'),
        }),
      );
      expect(made.status).toBe(201);
    }
    const opened = await visit(`/ui/workspaces/${runnable.organization.name}/${workspace.name}/states`);
    const { page } = opened;
    await logIn(opened, service.rootToken);
    await page.getByText('12 versions').waitFor();
    const [earlier, later] = [page.getByLabel('Compare resources of'), page.getByLabel('with those of')];
    const shownIn = (select: typeof earlier) => select.locator('option:checked').textContent();
    await expect.poll(() => shownIn(later)).toMatch(/^Serial 12,/);
    await later.selectOption({ index: 1 });
    await page.getByRole('button', { name: 'Older' }).click();
    await page.getByRole('row').filter({ hasText: /^2/ }).first().waitFor();
    await expect.poll(() => shownIn(later)).toMatch(/^Serial 11,/);
    const first = (await earlier.locator('option').allTextContents()).find((text) => text.startsWith('Serial 1,'));
    await earlier.selectOption({ label: first ?? '' });
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('heading', { name: 'Serial 1 and serial 11' }).waitFor();
    const lines = page.getByRole('list', { name: 'Differences' }).getByRole('listitem');
    await lines.first().waitFor();
    await expect
      .poll(() => lines.allTextContents())
      .toEqual(['Removedmodule.m.data.http.first1 instance', 'Addedmodule.m.data.http.two1 instance']);
    expect(await violations(page)).toEqual([]);
  });
});
