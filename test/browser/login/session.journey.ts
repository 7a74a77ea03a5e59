import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as OTPAuth from 'otpauth';
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
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('button', { name: 'Log in' }).waitFor();
    expect(await context.cookies(`${service.address}/v1`)).toEqual([]);
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
    expect(page.url()).toBe(`${service.address}/ui/records?status=PENDING`);
  });

  test('begins with a password and a code', async () => {
    await service.ask('POST', 'sys/auth/staff', { type: 'userpass', config: { listing_visibility: 'unauth' } });
    await service.ask('POST', 'auth/staff/users/ada', { password: 'correct horse battery' });
    const key = await enforceTotp();
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
    await other.goto(`http://127.0.0.1:${port}/`);
    await other.evaluate(
      `fetch('${service.address}/v1/sys/policies/acl/forged', { method: 'POST', mode: 'no-cors', credentials: 'include', body: '{"policy":""}' }).catch(() => {})`,
    );
    hostile.close();
    expect((await service.ask('GET', 'sys/policies/acl/forged')).status).toBe(404);
    await page.reload();
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  });
});

/** Logins at `staff/` need a code. Returns the URL of its key. */
async function enforceTotp(): Promise<string> {
  const method = await service.ask('POST', 'identity/mfa/method/totp', { issuer: 'keyferry', period: 30 });
  const id = String(method.data['method_id']);
  const { data: auth } = await service.ask('GET', 'sys/auth');
  const accessor = (auth['staff/'] as { accessor: string }).accessor;
  const first = await service.ask('POST', 'auth/staff/login/ada', { password: 'correct horse battery' });
  const entity = String((first.body['auth'] as { entity_id: string }).entity_id);
  const made = await service.ask('POST', 'identity/mfa/method/totp/admin-generate', {
    method_id: id,
    entity_id: entity,
  });
  await service.ask('POST', 'identity/mfa/login-enforcement/staff', {
    mfa_method_ids: [id],
    auth_method_accessors: [accessor],
  });
  return String(made.data['url']);
}
