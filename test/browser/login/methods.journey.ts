import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Orchestrator, startOrchestrator } from '#test/support/auth/orchestrator.ts';
import { type Issuer, inSeconds, newIssuer } from '#test/support/auth/tokens.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { bothColours, browsing, hasBrowser, violations } from '../support/browse.ts';

// Logins with a token that another system has signed.
const service = serviceOf([]);
const { visit } = browsing(service);
let issuer: Issuer;
let cluster: Orchestrator | undefined;

const write = async (path: string, body: object) => {
  const answer = await service.ask('POST', path, body);
  expect([answer.errors, answer.status < 300]).toEqual([[], true]);
};

beforeAll(async () => {
  issuer = await newIssuer();
  cluster = await startOrchestrator();
  cluster.reviewers.add('reviewer');
  const config = { listing_visibility: 'unauth' };
  await write('sys/auth/pipelines', { type: 'jwt', config });
  await write('auth/pipelines/config', { jwt_validation_pubkeys: [issuer.pem], default_role: 'deploy' });
  await write('auth/pipelines/role/deploy', { role_type: 'jwt', user_claim: 'sub', bound_audiences: ['keyferry'] });
  await write('sys/auth/pods', { type: 'orchestrator', config });
  await write('auth/pods/config', {
    kubernetes_host: cluster.address,
    kubernetes_ca_cert: cluster.certificate,
    token_reviewer_jwt: 'reviewer',
  });
  await write('auth/pods/role/web', { bound_service_account_names: 'app', bound_service_account_namespaces: 'shop' });
});
afterAll(() => cluster?.close());

const claims = (aud: string) => ({ sub: 'pipeline', aud, iat: inSeconds(0), exp: inSeconds(3_600) });
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

/** Opens the page, and chooses a mount. */
async function chosen(word: string, colours: (typeof bothColours)[number]) {
  const opened = await visit('/ui/', colours);
  // The first look-up has no session, and a wrong token is refused; the overview may not be read.
  opened.forgive(/status of 40[034]/);
  await opened.page.getByLabel('Log in with').selectOption(word);
  expect(await violations(opened.page)).toEqual([]);
  return opened;
}

/** Logs out, after which the browser has no session. */
async function leave(page: Page, name: RegExp) {
  await page.reload();
  await page.getByRole('button', { name }).click();
  await press(page, 'Log out');
  await page.getByLabel('Log in with').waitFor();
  await expect.poll(() => page.context().cookies(`${service.address}/v1`)).toEqual([]);
}

describe.skipIf(!hasBrowser())('a login', () => {
  test.each(bothColours)('with a JWT needs no role where the mount has one (%s)', async (colours) => {
    const { page } = await chosen('JWT (pipelines)', colours);
    await page.getByLabel('JWT (required)').fill(await issuer.sign(claims('another')));
    await press(page, 'Log in');
    await page.getByRole('alert').waitFor();
    const token = await issuer.sign(claims('keyferry'));
    await page.getByLabel('JWT (required)').fill(token);
    await press(page, 'Log in');
    await page.getByRole('button', { name: 'pipelines-pipeline' }).waitFor();
    expect(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')).not.toContain(token);
    await leave(page, /^pipelines/);
  });

  test.each(bothColours)('with the token of a service account asks the orchestrator (%s)', async (colours) => {
    const { page } = await chosen('Service account (pods)', colours);
    await page.getByLabel('Role (required)').fill('web');
    await page.getByLabel('Token of the service account (required)').fill((await cluster?.token('bank', 'app')) ?? '');
    await press(page, 'Log in');
    await page.getByText('These credentials are not valid here.').waitFor();
    await page.getByLabel('Token of the service account (required)').fill((await cluster?.token('shop', 'app')) ?? '');
    await press(page, 'Log in');
    await page.getByRole('button', { name: /^pods/ }).waitFor();
    await leave(page, /^pods/);
  });
});
