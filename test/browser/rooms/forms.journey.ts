import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { browsing, hasBrowser, logIn } from '../support/browse.ts';

const service = serviceOf([]);
const { visit } = browsing(service);

/** The window gets the focus again, and what the page shows is asked for anew. */
async function returnTo(page: Page, path: string): Promise<void> {
  const answered = page.waitForResponse(
    (reply) => new URL(reply.url()).pathname === `/v1/${path}` && new URL(reply.url()).search === '',
  );
  await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
  await (await answered).finished();
}

describe.skipIf(!hasBrowser())('a form that is half filled', () => {
  test('of a thing keeps what was typed when the window gets the focus, and writes over nothing else', async () => {
    await service.ask('POST', 'sys/auth/crew', { type: 'userpass' });
    await service.ask('POST', 'auth/crew/users/ada', { password: 'a first password', token_policies: ['default'] });
    const opened = await visit('/ui/access/methods?mount=crew&part=users&key=ada');
    const { page, forgive } = opened;
    forgive(/status of 404/);
    await logIn(opened, service.rootToken);
    await page.getByLabel('Policies').fill('default\nteam');
    await page.getByLabel('Password', { exact: true }).fill('a second password');
    await service.ask('POST', 'auth/crew/users/ada', { token_max_ttl: '2h' });
    await returnTo(page, 'auth/crew/users/ada');
    await expect.poll(() => page.getByLabel('Max TTL', { exact: true }).inputValue()).toBe('7200');
    expect(await page.getByLabel('Policies').inputValue()).toBe('default\nteam');
    expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe('a second password');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('The user is saved').waitFor();
    expect((await service.ask('GET', 'auth/crew/users/ada')).data).toMatchObject({
      token_policies: ['default', 'team'],
      token_max_ttl: 7_200,
    });
    const login = await service.ask('POST', 'auth/crew/login/ada', { password: 'a second password' });
    expect(login.status).toBe(200);
    await expect.poll(() => page.getByLabel('Password', { exact: true }).inputValue()).toBe('');
  });

  test('of settings keeps what was typed, and shows what it has stored', async () => {
    await service.ask('POST', 'sys/auth/tuned', { type: 'userpass' });
    const opened = await visit('/ui/access/methods?mount=tuned&part=tune');
    const { page } = opened;
    await logIn(opened, service.rootToken);
    await page.getByLabel('Description').fill('of the night shift');
    await service.ask('POST', 'sys/auth/tuned/tune', { default_lease_ttl: '3h' });
    await returnTo(page, 'sys/auth/tuned/tune');
    await expect.poll(() => page.getByLabel('Default lease TTL').inputValue()).toBe('10800');
    expect(await page.getByLabel('Description').inputValue()).toBe('of the night shift');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('The settings are saved').waitFor();
    expect(await page.getByLabel('Description').inputValue()).toBe('of the night shift');
    expect((await service.ask('GET', 'sys/auth/tuned/tune')).data['description']).toBe('of the night shift');
  });

  test('of a policy keeps its text', async () => {
    await service.ask('POST', 'sys/policies/acl/edited', { policy: 'path "a" {}' });
    const opened = await visit('/ui/access/policies?key=edited');
    const { page } = opened;
    await logIn(opened, service.rootToken);
    await page.getByLabel('Policy', { exact: true }).fill('path "b" {}');
    await returnTo(page, 'sys/policies/acl/edited');
    expect(await page.getByLabel('Policy', { exact: true }).inputValue()).toBe('path "b" {}');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('edited is saved').waitFor();
    expect((await service.ask('GET', 'sys/policies/acl/edited')).data['policy']).toBe('path "b" {}');
  });
});
