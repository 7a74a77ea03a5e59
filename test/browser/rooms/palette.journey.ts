import { describe, expect, test } from 'vitest';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { groundOn } from '#test/workspaces/support/ground.ts';
import { browsing, hasBrowser, logIn, violations } from '../support/browse.ts';

const service = serviceOf([], { KEYFERRY_WORKSPACE_REQUESTS_PER_SECOND: '0' });
const ground = groundOn(service);
const { visit } = browsing(service);

describe.skipIf(!hasBrowser())('the palette', () => {
  test('searches each of many mounts, and says of which it did not', async () => {
    const mounts = Array.from({ length: 54 }, (_, at) => `palette-${String(at).padStart(2, '0')}`);
    for (const path of mounts) await service.ask('POST', `sys/mounts/${path}`, { type: 'kv-v2' });
    await service.ask('POST', 'palette-07/data/rare/one', { data: { v: '1' } });
    await service.ask('POST', 'palette-53/data/rare/far', { data: { v: '1' } });
    const opened = await visit('/ui/');
    const { page, forgive } = opened;
    forgive(/status of 404/);
    await logIn(opened, service.rootToken);
    await page.keyboard.press('Control+k');
    const box = page.getByRole('combobox', { name: /^Name of a page/ });
    const options = page.getByRole('option');
    const said = page.getByRole('dialog').getByRole('status');
    await box.fill('rare/');
    await options.filter({ hasText: 'palette-07/rare/one' }).waitFor();
    await said.filter({ hasText: 'only 50 of 55 mounts are searched' }).waitFor();
    expect(await options.filter({ hasText: 'palette-53/rare/far' }).count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await box.fill('palette-53/rare/f');
    await options.filter({ hasText: 'palette-53/rare/far' }).waitFor();
  });

  test('finds organizations and workspaces by a part of their name', async () => {
    const organization = await ground.organization();
    const workspace = await ground.workspace(organization.id, organization.projectId);
    const opened = await visit('/ui/');
    const { page, forgive } = opened;
    forgive(/status of 404/);
    await logIn(opened, service.rootToken);
    await page.keyboard.press('Control+k');
    const box = page.getByRole('combobox', { name: /^Name of a page/ });
    const whole = `${organization.name}/${workspace.name}`;
    await box.fill(organization.name.slice(1));
    await page.getByRole('option').filter({ hasText: 'Organization' }).filter({ hasText: organization.name }).waitFor();
    await box.fill(workspace.name.slice(3));
    await page.getByRole('option').filter({ hasText: whole }).waitFor();
    expect(await violations(page)).toEqual([]);
    await box.fill(whole);
    await page.getByRole('option').filter({ hasText: whole }).click();
    await page.getByRole('heading', { name: workspace.name }).waitFor();
  });
});
