import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as OTPAuth from 'otpauth';
import type { Route } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { bothColours, browsing, hasBrowser, logIn, violations } from '../support/browse.ts';

const service = serviceOf([]);
const { visit } = browsing(service);

describe.skipIf(!hasBrowser())('a session in the page', () => {
  test.each(bothColours)('lasts over a reload and ends with the log out (%s)', async (colours) => {
    const opened = await visit('/ui/', colours);
    const { page, context } = opened;
    await logIn(opened, service.rootToken);
    await page.reload();
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    expect(await page.evaluate('document.cookie')).toBe('');
    const kept = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])');
    expect(kept).not.toMatch(/hvs\./);
    expect(
      (await context.cookies(`${service.address}/v1`)).map(({ httpOnly, sameSite }) => [httpOnly, sameSite]),
    ).toEqual([[true, 'Strict']]);
    await page.getByRole('button', { name: 'token-root' }).click();
    expect(await violations(page)).toEqual([]);
    opened.forgive(/ERR_CONNECTION_REFUSED|status of 503/);
    const revoke = '**/v1/auth/token/revoke-self';
    for (const fail of [
      (route: Route) => route.abort('connectionrefused'),
      (route: Route) => route.fulfill({ status: 503, json: { errors: ['the database is away'] } }),
    ]) {
      await page.route(revoke, fail);
      await page.getByRole('button', { name: 'Log out' }).click();
      await page.getByRole('status').filter({ hasText: 'You are still logged in' }).waitFor();
      await page.unroute(revoke);
    }
    expect(await context.cookies(`${service.address}/v1`)).toHaveLength(1);
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('button', { name: 'Log in' }).waitFor();
    await expect.poll(() => context.cookies(`${service.address}/v1`)).toEqual([]);
  });

  test('that is revoked leads to the login, and back to the same address', async () => {
    const opened = await visit('/ui/records?status=PENDING');
    const { page } = opened;
    const made = await service.ask('POST', 'auth/token/create', {});
    const { client_token } = made.body['auth'] as { client_token: string };
    await logIn(opened, client_token);
    await service.ask('POST', 'auth/token/revoke', { token: client_token });
    await page.getByText('Your session is over').waitFor();
    await logIn(opened, service.rootToken);
    await page.getByRole('heading', { name: 'Records' }).waitFor();
    await expect.poll(() => page.url()).toBe(`${service.address}/ui/records?status=PENDING`);
  });

  test('begins with a password and a code', async () => {
    await service.ask('POST', 'sys/auth/staff', { type: 'userpass', config: { listing_visibility: 'unauth' } });
    await service.ask('POST', 'auth/staff/users/ada', { password: 'correct horse battery' });
    const key = await enforceTotp('staff', ['phone']);
    const opened = await visit();
    const { page, forgive } = opened;
    forgive(/status of 40[03]/);
    await page.getByLabel('Log in with').selectOption('Username and password (staff)');
    await page.getByLabel('Username').fill('ada');
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Password').fill('correct horse battery');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByLabel('Code').fill(OTPAuth.URI.parse(key).generate());
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('button', { name: 'staff-ada' }).waitFor();
  });

  test('begins with a code of the method that is chosen', async () => {
    await service.ask('POST', 'sys/auth/crew', { type: 'userpass', config: { listing_visibility: 'unauth' } });
    await service.ask('POST', 'auth/crew/users/ada', { password: 'correct horse battery' });
    const key = await enforceTotp('crew', ['old-phone', 'new-phone']);
    const opened = await visit();
    const { page, forgive } = opened;
    forgive(/status of 40[03]/);
    await page.getByLabel('Log in with').selectOption('Username and password (crew)');
    await page.getByLabel('Username').fill('ada');
    await page.getByLabel('Password').fill('correct horse battery');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByLabel('Method').selectOption('new-phone');
    await page.getByText('Of the app that shows the codes of new-phone.').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByLabel('Code').fill(OTPAuth.URI.parse(key).generate());
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('button', { name: 'crew-ada' }).waitFor();
  });

  test('is of no use to a page of another origin', async () => {
    const opened = await visit();
    await logIn(opened, service.rootToken);
    const hostile = createServer((_request, reply) =>
      reply.setHeader('content-type', 'text/html').end('<title>x</title>'),
    );
    await new Promise<void>((resolve) => hostile.listen(0, '127.0.0.1', resolve));
    const { port } = hostile.address() as AddressInfo;
    const { page } = opened;
    const other = await opened.context.newPage();
    const target = (name: string) => `${service.address}/v1/sys/policies/acl/${name}`;
    // What a form can send, and what would be done if the cookie alone counted: it does with the token.
    const sent = '{"policy":"# ="}';
    const withToken = await fetch(target('not-forged'), {
      method: 'POST',
      headers: { 'content-type': 'text/plain', 'x-service-token': service.rootToken },
      body: sent,
    });
    expect(withToken.status).toBe(204);
    await other.goto(`http://127.0.0.1:${port}/`);
    const cookies = other.waitForRequest(target('forged'));
    await other.evaluate(
      `fetch('${target('forged')}', { method: 'POST', mode: 'no-cors', credentials: 'include', headers: { 'content-type': 'text/plain' }, body: '${sent}' }).catch(() => {})`,
    );
    expect((await (await cookies).allHeaders())['cookie']).toContain('keyferry-');
    const answer = other.waitForResponse(target('forged-by-form'));
    await other.evaluate(`{
      const form = document.createElement('form');
      Object.assign(form, { method: 'post', enctype: 'text/plain', action: '${target('forged-by-form')}' });
      const field = document.createElement('input');
      Object.assign(field, { name: '{"policy":"# ', value: '"}' });
      form.append(field);
      document.body.append(form);
      form.submit();
    }`);
    expect((await answer).status()).toBe(403);
    hostile.close();
    for (const name of ['forged', 'forged-by-form'])
      expect((await service.ask('GET', `sys/policies/acl/${name}`)).status).toBe(404);
    expect((await service.ask('GET', 'sys/policies/acl/not-forged')).status).toBe(200);
    await page.reload();
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  });
});

/** Logins of `ada` at a mount need a code of one of the methods. Returns the URL of the key of the last one, the only one that she has. */
async function enforceTotp(mount: string, names: readonly string[]): Promise<string> {
  const ids: string[] = [];
  for (const name of names) {
    const fields = { issuer: 'keyferry', period: 30, method_name: name };
    ids.push(String((await service.ask('POST', 'identity/mfa/method/totp', fields)).data['method_id']));
  }
  const { data: auth } = await service.ask('GET', 'sys/auth');
  const { accessor } = auth[`${mount}/`] as { accessor: string };
  const first = await service.ask('POST', `auth/${mount}/login/ada`, { password: 'correct horse battery' });
  const entity = String((first.body['auth'] as { entity_id: string }).entity_id);
  const made = await service.ask('POST', 'identity/mfa/method/totp/admin-generate', {
    method_id: ids.at(-1),
    entity_id: entity,
  });
  await service.ask('POST', `identity/mfa/login-enforcement/${mount}`, {
    mfa_method_ids: ids,
    auth_method_accessors: [accessor],
  });
  return String(made.data['url']);
}
