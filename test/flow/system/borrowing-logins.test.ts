import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openLender } from '#app/borrowing/lender.ts';
import type { UnsealLogin } from '#core/settings/unseal.ts';
import { openStore } from '#store/open.ts';
import { storeOptions } from '../../store/stores.ts';
import { type Orchestrator, startOrchestrator } from '../../support/auth/orchestrator.ts';
import { shamirService } from '../../support/flow/shamir.ts';
import { ending } from '../../support/services.ts';

// The logins by which a process borrows the root key, at a real API.
const service = shamirService({ KEYFERRY_NETWORK_ALLOWED: 'all' });
const policy =
  'path "sys/sync/unseal" { capabilities = ["update", "sudo"] } path "auth/token/revoke-self" { capabilities = ["update"] }';
const tokens = { token_policies: 'unseal', token_no_default_policy: true, token_ttl: '1m' };
const reviewer = 'reviewer-token';

let cluster: Orchestrator;
let folder: string;
const asRoot = async (method: string, path: string, body?: unknown) => {
  const answer = await service.ask(0, method, path, body, service.rootToken);
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  return answer;
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keyferry-logins-'));
  cluster = await startOrchestrator();
  cluster.reviewers.add(reviewer);
  await asRoot('PUT', 'sys/policies/acl/unseal', { policy });
  await asRoot('POST', 'sys/auth/orchestrator', { type: 'orchestrator' });
  await asRoot('POST', 'auth/orchestrator/config', {
    orchestrator_host: cluster.address,
    orchestrator_ca_cert: cluster.certificate,
    token_reviewer_jwt: reviewer,
  });
  await asRoot('POST', 'auth/orchestrator/role/sync', {
    bound_service_account_names: 'keyferry-sync',
    bound_service_account_namespaces: 'keyferry',
    ...tokens,
  });
});
afterAll(async () => {
  cluster.close();
  await rm(folder, { recursive: true, force: true });
});

/** Starts a process that logs in like this. Returns its state and how its attempts ended. */
async function borrower(login: UnsealLogin) {
  const seen: string[] = [];
  const settings = { address: new URL(service.addresses[0] ?? ''), caFile: undefined, login, keepMs: 3_600_000 };
  const borrowsFrom = openLender(settings, (result) => seen.push(result));
  const store = ending(await openStore(storeOptions(service.databaseUrl, { borrowsFrom })));
  return { state: store.seal.state(), seen };
}

async function fileOf(text: string): Promise<string> {
  const file = join(folder, `${Math.random()}`);
  await writeFile(file, text);
  return file;
}

const account = async (name: string): Promise<UnsealLogin> => ({
  kind: 'orchestrator',
  mount: 'orchestrator',
  role: 'sync',
  tokenFile: await fileOf(await cluster.token('keyferry', name)),
});

const countTokens = async () => ((await asRoot('LIST', 'auth/token/accessors')).data['keys'] as string[]).length;

test('a service account of the role borrows, and its token is revoked afterwards', async () => {
  const before = await countTokens();
  expect(await borrower(await account('keyferry-sync'))).toEqual({ state: 'ready', seen: ['opened'] });
  expect(await countTokens()).toBe(before);
});

test('another service account cannot borrow', async () => {
  expect(await borrower(await account('default'))).toEqual({ state: 'sealed', seen: ['failed'] });
});

test('a token from a file borrows and stays valid; one without the right cannot borrow', async () => {
  const { body } = await asRoot('POST', 'auth/token/create', { policies: ['unseal'], no_default_policy: true });
  const { client_token: token } = body['auth'] as { client_token: string };
  const before = await countTokens();
  expect(await borrower({ kind: 'token', tokenFile: await fileOf(token) })).toEqual({
    state: 'ready',
    seen: ['opened'],
  });
  expect(await countTokens()).toBe(before);
  const { body: other } = await asRoot('POST', 'auth/token/create', { policies: ['default'] });
  const { client_token: weak } = other['auth'] as { client_token: string };
  expect(await borrower({ kind: 'token', tokenFile: await fileOf(weak) })).toEqual({
    state: 'sealed',
    seen: ['failed'],
  });
});
