import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startOrchestrator } from '../../support/auth/orchestrator.ts';
import { startProvider } from '../../support/auth/provider.ts';
import { forged, inSeconds } from '../../support/auth/tokens.ts';
import { foundIn } from '../../support/flow/backup/dumps.ts';
import { serviceOf } from '../../support/flow/open-service.ts';
import { fileDevice, linesOf, removeDevices, textOf } from './log.ts';

const service = serviceOf([], { KEYFERRY_AUTH_REQUEST_MS_MAX: '3000' });
const reviewer = 'marker-of-the-reviewer';
let cluster: Awaited<ReturnType<typeof startOrchestrator>>;
let provider: Awaited<ReturnType<typeof startProvider>>;

beforeAll(async () => {
  [cluster, provider] = await Promise.all([startOrchestrator(), startProvider()]);
  cluster.reviewers.add(reviewer);
});
afterEach(() => removeDevices(service));
afterAll(() => {
  cluster.close();
  provider.close();
});

type Fault = NonNullable<typeof provider.fault>;

// A hostile server echoes what it received in every possible place of its answer.
const faults: readonly Fault[] = [
  () => undefined,
  (request, response) => response.writeHead(302, { location: `https://example.com/${sentIn(request)}` }).end(),
  (request, response) => response.writeHead(500, sentIn(request).slice(0, 40)).end(sentIn(request)),
  (request, response) => response.writeHead(200).end(`<html>${sentIn(request)}`),
  (request) => request.socket.destroy(),
];
const sentIn: (request: Parameters<Fault>[0]) => string = ({ headers }) => String(headers.authorization ?? 'nothing');

test('no token of a failed login reaches a device or the log', async () => {
  const { file } = await fileDevice(service);
  const before = service.logged.length;
  const own = await mountOfProvider();
  const outside = await mountOfCluster();
  const jwt = (await provider.issuers[0]?.sign({ iss: 'x', sub: 'ann', exp: inSeconds(600) })) ?? '';
  const account = await cluster.token('shop', 'app');
  const none = forged({ alg: 'none' }, { sub: 'ann', exp: inSeconds(600) });
  const long = 'y'.repeat(1_000_000);
  const statuses = [];
  for (const fault of faults) {
    [provider.fault, cluster.fault] = [fault, fault];
    for (const [path, token] of [
      [own, jwt],
      [outside, account],
    ] as const)
      statuses.push(await login(path, token));
  }
  for (const path of [own, outside]) for (const token of [none, long]) statuses.push(await login(path, token));

  const [asked, refused] = [statuses.slice(0, 2 * faults.length), statuses.slice(2 * faults.length)];
  expect(new Set(asked)).toEqual(new Set([502]));
  expect(refused.filter((status) => ![400, 403, 413].includes(status))).toEqual([]);
  const logins = (await linesOf(file)).filter(({ request }) => String(request['path']).endsWith('/login'));
  expect(logins.length).toBeGreaterThan(asked.length);
  const secrets = [jwt, account, none].flatMap((token) => token.split('.').slice(1)).filter((part) => part !== '');
  const written = (await textOf(file)) + JSON.stringify(service.logged.slice(before));
  expect(foundIn(written, [...secrets, long.slice(0, 100), reviewer])).toEqual([]);
});

const login = async (path: string, jwt: string): Promise<number> =>
  (await service.ask('POST', `auth/${path}/login`, { role: 'web', jwt })).status;

async function mountOfProvider(): Promise<string> {
  const path = service.name('jwt');
  const keys = { jwks_url: `${provider.address}/keys`, jwks_ca_pem: provider.certificate };
  await service.api.write(`sys/auth/${path}`, { type: 'jwt' });
  await service.api.write(`auth/${path}/config`, keys);
  await service.api.write(`auth/${path}/role/web`, { role_type: 'jwt', user_claim: 'sub', bound_subject: 'ann' });
  return path;
}

async function mountOfCluster(): Promise<string> {
  const path = service.name('k');
  await service.api.write(`sys/auth/${path}`, { type: 'kubernetes' });
  await service.api.write(`auth/${path}/config`, {
    kubernetes_host: cluster.address,
    kubernetes_ca_cert: cluster.certificate,
    token_reviewer_jwt: reviewer,
  });
  const bounds = { bound_service_account_names: '*', bound_service_account_namespaces: '*' };
  await service.api.write(`auth/${path}/role/web`, bounds);
  return path;
}
