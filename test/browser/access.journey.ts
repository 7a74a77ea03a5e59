import * as OTPAuth from 'otpauth';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { bothColours, browsing, hasBrowser, logIn, refusal, violations } from './support/browse.ts';
import { readCode } from './support/qr.ts';

const service = serviceOf([]);
const { visit } = browsing(service);
const main = (page: Page) => page.getByRole('main');

async function tokenWith(name: string, policy: string): Promise<string> {
  await service.ask('POST', `sys/policies/acl/${name}`, { policy });
  const { body } = await service.ask('POST', 'auth/token/create', { policies: [name] });
  return (body['auth'] as { client_token: string }).client_token;
}

describe.skipIf(!hasBrowser())('access', () => {
  test.each(bothColours)(
    'marks a mistake of a policy at its line, and names the rule that decides (%s)',
    async (colours) => {
      const name = `journey-${colours}`;
      const opened = await visit('/ui/access/policies?new=1', colours);
      const { page, forgive } = opened;
      forgive(/status of 400/);
      await logIn(opened, service.rootToken);
      await page.getByLabel('Name (required)').fill(name);
      const editor = page.getByLabel('Policy', { exact: true });
      await editor.fill('# of a team\npath "secret/data/team/*" {\n  capabilities = ["fly"]\n}\n');
      await page.getByRole('button', { name: 'Create' }).click();
      await page
        .getByRole('alert')
        .filter({ hasText: /^line 3, column \d+/ })
        .waitFor();
      await page.locator('.code-mark[data-line="3"]').waitFor();
      await expect.poll(() => page.evaluate('document.activeElement.selectionStart')).toBeGreaterThan(40);
      await expect.poll(() => editor.getAttribute('aria-invalid')).toBe('true');
      expect(await violations(page)).toEqual([]);
      await editor.fill('# of a team\npath "secret/data/team/*" {\n  capabilities = ["read"]\n}\n');
      await page.getByLabel('Path (required)').fill('secret/data/team/db');
      await page.getByRole('button', { name: 'Test' }).click();
      const outcome = page.getByRole('region', { name: 'Test' });
      await outcome.getByText('Allowed', { exact: true }).waitFor();
      await outcome.getByText('Line 2').waitFor();
      await page.getByLabel('Capability').selectOption('delete');
      await page.getByRole('button', { name: 'Test' }).click();
      await outcome.getByText('Not allowed').waitFor();
      await outcome.getByText('the capability "delete" is missing').waitFor();
      await page.getByRole('button', { name: 'Create' }).click();
      await main(page).getByRole('heading', { name }).waitFor();
      expect((await service.ask('GET', `sys/policies/acl/${name}`)).data['policy']).toContain('["read"]');
      const { body } = await service.ask('POST', 'auth/token/create', { policies: [name] });
      await page.getByLabel('For').selectOption('The token with an accessor');
      await page.getByLabel('Accessor').fill((body['auth'] as { accessor: string }).accessor);
      await page.getByLabel('Path (required)').fill('secret/data/team/db');
      await page.getByLabel('Capability').selectOption('read');
      await page.getByRole('button', { name: 'Test' }).click();
      await outcome.getByRole('link', { name }).waitFor();
      expect(await violations(page)).toEqual([]);
      forgive(/status of 404/);
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByLabel(`Type ${name} to confirm`).fill(name);
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('grid', { name: 'Policies' }).waitFor();
      expect((await service.ask('GET', `sys/policies/acl/${name}`)).status).toBe(404);
    },
  );

  test('enrols an entity by a barcode, whose codes then log in', async () => {
    await service.ask('POST', 'sys/auth/crew', { type: 'userpass', config: { listing_visibility: 'unauth' } });
    await service.ask('POST', 'auth/crew/users/ada', { password: 'correct horse battery' });
    const first = await service.ask('POST', 'auth/crew/login/ada', { password: 'correct horse battery' });
    const { entity_id: entity } = first.body['auth'] as { entity_id: string };
    const mounts = (await service.ask('GET', 'sys/auth')).data;
    const { accessor } = mounts['crew/'] as { accessor: string };
    const opened = await visit('/ui/access/mfa?new=1');
    const { page, forgive } = opened;
    forgive(/status of 40[034]/);
    await logIn(opened, service.rootToken);
    await page.getByLabel('Issuer').fill('Keyferry');
    await page.getByLabel('Method name').fill('phone');
    await page.getByRole('button', { name: 'Create' }).click();
    await main(page).getByRole('heading', { name: 'phone' }).waitFor();
    await page.getByRole('textbox', { name: 'Entity' }).fill(entity);
    const answered = page.waitForResponse((reply) => reply.url().endsWith('/admin-generate'));
    await page.getByRole('button', { name: 'Enrol the entity' }).click();
    const { data } = (await (await answered).json()) as { data: { url: string } };
    const code = page.getByRole('img', { name: 'Barcode with the secret of the enrolment' });
    await code.and(page.locator('canvas:not([width="0"])')).waitFor();
    const scanned = await readCode(page);
    expect(scanned).toBe(data.url);
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'It is scanned' }).click();
    await code.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Enrol the entity' }).click();
    await page.getByRole('alert').filter({ hasText: 'already has a secret' }).waitFor();
    const methodId = new URL(page.url()).searchParams.get('key') ?? '';
    await page.goto(`${service.address}/ui/access/enforcements?new=1`);
    await page.getByLabel('Name (required)').fill('crew');
    await page.getByLabel('MFA method IDs').fill(methodId);
    await page.getByLabel('Auth method accessors').fill(accessor);
    await page.getByRole('button', { name: 'Create' }).click();
    await main(page).getByRole('heading', { name: 'crew' }).waitFor();
    const other = await visit();
    other.forgive(/status of 40[03]/);
    await other.page.getByLabel('Log in with').selectOption('Username and password (crew)');
    await other.page.getByLabel('Username').fill('ada');
    await other.page.getByLabel('Password').fill('correct horse battery');
    await other.page.getByRole('button', { name: 'Log in' }).click();
    await other.page.getByLabel('Code').fill(OTPAuth.URI.parse(scanned).generate());
    await other.page.getByRole('button', { name: 'Log in' }).click();
    await other.page.getByRole('button', { name: 'crew-ada' }).waitFor();
    await page.goto(`${service.address}/ui/access/entities?key=${entity}`);
    await page.getByRole('button', { name: 'End the enrolment' }).click();
    await page.getByRole('button', { name: 'End the enrolment' }).waitFor({ state: 'detached' });
    expect(await violations(page)).toEqual([]);
  });

  test('creates a token that is shown once, and says how many end with it', async () => {
    const opened = await visit('/ui/access/tokens?new=1');
    const { page, forgive } = opened;
    forgive(/status of 40[04]/);
    await logIn(opened, service.rootToken);
    await page.getByLabel('Policies').fill('root');
    await page.getByLabel('Display name').fill('journey');
    await page.getByLabel('TTL', { exact: true }).fill('1h');
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Create' }).click();
    const shown = page.getByRole('region', { name: 'The new token' });
    const token = (await shown.locator('pre').textContent()) ?? '';
    const { data } = await service.ask('GET', 'auth/token/lookup-self', undefined, {
      headers: { 'x-service-token': token },
    });
    await service.ask(
      'POST',
      'auth/token/create',
      { policies: ['default'] },
      { headers: { 'x-service-token': token } },
    );
    expect(await violations(page)).toEqual([]);
    await page.getByRole('link', { name: 'Done' }).click();
    await page.getByRole('grid', { name: 'Accessors of tokens' }).waitFor();
    expect(await page.content()).not.toContain(token);
    await page.getByLabel('Look up by accessor').fill(String(data['accessor']));
    await page.getByRole('button', { name: 'Look up' }).click();
    await page.getByText('token-journey').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('1 token that it created').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('grid', { name: 'Accessors of tokens' }).waitFor();
    expect((await service.ask('POST', 'auth/token/lookup-accessor', { accessor: data['accessor'] })).status).toBe(400);
  });

  test('enables a method and writes its users by the form that its help describes', async () => {
    const opened = await visit('/ui/access/methods?new=1');
    const { page, forgive } = opened;
    forgive(/status of 404/);
    await logIn(opened, service.rootToken);
    await page.getByLabel('Type').selectOption('userpass');
    await page.getByLabel('Path (required)').fill('people');
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByText('No user yet').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('link', { name: 'New user' }).click();
    await page.getByLabel('Name (required)').fill('bo');
    await page.getByLabel('Password', { exact: true }).fill('a password of the page');
    await page.getByLabel('Policies').fill('default');
    await page.getByRole('button', { name: 'Create' }).click();
    await main(page).getByRole('heading', { name: 'bo' }).waitFor();
    expect((await service.ask('GET', 'auth/people/users/bo')).data['token_policies']).toEqual(['default']);
    await page.getByLabel('Policies').fill('default\nteam');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('The user is saved').waitFor();
    expect((await service.ask('GET', 'auth/people/users/bo')).data['token_policies']).toEqual(['default', 'team']);
    const login = await service.ask('POST', 'auth/people/login/bo', { password: 'a password of the page' });
    expect(login.status).toBe(200);
    await page.getByRole('link', { name: 'Tuning' }).click();
    await page.getByLabel('Default lease TTL').waitFor();
    expect(await violations(page)).toEqual([]);
  });

  test('shows a caller with a narrow policy only what it may see', async () => {
    const token = await tokenWith(
      'looks-at-groups',
      'path "identity/group/id" { capabilities = ["list"] }\npath "identity/group/id/+" { capabilities = ["read"] }',
    );
    const made = await service.ask('POST', 'identity/group', { name: 'narrow-group', policies: ['default'] });
    const opened = await visit('/ui/access');
    const { page, forgive } = opened;
    forgive(/status of 40[34]/);
    await logIn(opened, token);
    await page.getByRole('grid', { name: 'Groups' }).waitFor();
    const parts = page.getByRole('navigation', { name: 'Parts of access' }).getByRole('link');
    await expect.poll(() => parts.allTextContents()).toEqual(['Groups']);
    await expect
      .poll(() => page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allTextContents())
      .toEqual(['Access', 'Workspaces']);
    await page.getByRole('row').filter({ hasText: 'narrow-group' }).click();
    await refusal(page, 'Delete', 'Your policies do not grant "delete"');
    await refusal(page, 'Save changes', 'Your policies do not grant "update"');
    expect(await violations(page)).toEqual([]);
    await page.goto(`${service.address}/ui/access/policies`);
    await page.getByText('Your policies do not show you this').waitFor();
    expect((await service.ask('GET', `identity/group/id/${String(made.data['id'])}`)).status).toBe(200);
  });

  test('says of every button that a caller may not use why, and opens nothing', async () => {
    const lists = ['sys/policies/acl', 'sys/policies/password', 'auth/token/accessors', 'auth/token/roles'];
    const kinds = ['entity/id', 'group/id', 'entity-alias/id', 'mfa/method/totp', 'mfa/login-enforcement'];
    const token = await tokenWith(
      'looks-only',
      [
        ...[...lists, ...kinds.map((kind) => `identity/${kind}`)].map(
          (path) => `path "${path}" { capabilities = ["list"] }\npath "${path}/*" { capabilities = ["read"] }`,
        ),
        'path "sys/auth" { capabilities = ["read"] }',
        'path "sys/auth/*" { capabilities = ["read"] }',
        'path "secret/metadata/*" { capabilities = ["list"] }',
      ].join('\n'),
    );
    await service.ask('POST', 'identity/group', { name: 'seen-group' });
    const opened = await visit('/ui/access/policies');
    const { page, forgive } = opened;
    forgive(/status of 40[034]/);
    await logIn(opened, token);
    const tabs = page.getByRole('navigation', { name: 'Parts of access' });
    for (const [tab, button] of [
      ['Policies', 'New policy'],
      ['Password policies', 'New password policy'],
      ['Tokens', 'New token'],
      ['Token roles', 'New token role'],
      ['Entities', 'New entity'],
      ['Groups', 'New group'],
      ['Aliases', 'New entity alias'],
      ['Auth methods', 'Enable a method'],
      ['MFA methods', 'New MFA method'],
      ['MFA enforcements', 'New enforcement'],
    ] as const) {
      await tabs.getByRole('link', { name: tab, exact: true }).click();
      await refusal(page, button, 'Your policies do not grant');
      expect([tab, new URL(page.url()).search]).toEqual([tab, '']);
    }
    await tabs.getByRole('link', { name: 'Policies', exact: true }).click();
    await page.getByRole('row').filter({ hasText: 'default' }).click();
    await refusal(page, 'Save changes', 'Your policies do not grant');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.goto(`${service.address}/ui/secrets?mount=secret`);
    await refusal(page, 'New secret', 'Your policies do not grant "create"');
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  test('does not offer to delete the policy that is built in', async () => {
    const opened = await visit('/ui/access/policies?key=default');
    await logIn(opened, service.rootToken);
    await refusal(opened.page, 'Delete', 'built in: it can be changed, not deleted');
    expect(await opened.page.getByRole('dialog').count()).toBe(0);
  });

  test('shows names and metadata as text, whatever is in them', async () => {
    const payload = '<img src=x onerror="document.title=\'broken\'">';
    const policy = `"><script>document.title='broken'</script>`;
    await service.ask('POST', `sys/policies/acl/${encodeURIComponent(policy)}`, { policy: 'path "x" {}' });
    const { data } = await service.ask('POST', 'identity/entity', {
      name: payload,
      policies: [payload],
      metadata: { [payload]: payload },
    });
    const opened = await visit('/ui/access/policies');
    const { page, forgive } = opened;
    forgive(/status of 404/);
    await logIn(opened, service.rootToken);
    await page.getByRole('row').filter({ hasText: '<script>' }).click();
    await page.getByLabel('Policy', { exact: true }).waitFor();
    await page.goto(`${service.address}/ui/access/entities`);
    await page.getByRole('row').filter({ hasText: '<img' }).click();
    await page.getByLabel('Metadata').waitFor();
    await expect.poll(() => page.getByLabel('Metadata').inputValue()).toContain(payload);
    await page.goto(`${service.address}/ui/access/entities?key=${String(data['id'])}`);
    await main(page).getByRole('heading', { name: '<img' }).waitFor();
    forgive(/status of 400/);
    await page.goto(`${service.address}/ui/access/policies?new=1`);
    await page.getByLabel('Name (required)').fill('refused');
    await page.getByLabel('Policy', { exact: true }).fill(`path "x" { capabilities = [${JSON.stringify(payload)}] }`);
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('alert').filter({ hasText: '<img src=x' }).waitFor();
    expect(await page.title()).not.toContain('broken');
    expect(await page.locator('img[src="x"], main script').count()).toBe(0);
    expect(await violations(page)).toEqual([]);
  });
});
