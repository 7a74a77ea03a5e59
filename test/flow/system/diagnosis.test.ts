import { expect, test } from 'vitest';
import { withLevels } from '#core/log/levels.ts';
import { partOf } from '#core/log/log.ts';
import { ask } from '../../support/flow/calls/ask.ts';
import { eventually, serviceOf } from '../../support/flow/open-service.ts';
import { otherProcessOf } from '../../support/flow/other-process.ts';

const service = serviceOf([]);
const other = otherProcessOf(service);
const requestLines = () => service.logged.filter((line) => (line as { message: string }).message === 'request').length;

test('log levels change while the process runs, and components follow the global level', async () => {
  const { data } = await service.ask('GET', 'sys/loggers');
  expect(Object.keys(data)).toEqual(expect.arrayContaining(['core', 'http', 'store', 'sync', 'token']));
  expect((await service.ask('POST', 'sys/loggers/http', { level: 'ERR' })).status).toBe(204);
  expect((await service.ask('GET', 'sys/loggers/http')).data).toEqual({ http: 'error' });
  const before = requestLines();
  await service.ask('GET', 'sys/health');
  expect(requestLines()).toBe(before);
  expect((await service.ask('POST', 'sys/loggers', { level: 'trace' })).status).toBe(204);
  expect(new Set(Object.values((await service.ask('GET', 'sys/loggers')).data))).toEqual(new Set(['debug']));
  expect(requestLines()).toBeGreaterThan(before);
  await service.ask('POST', 'sys/loggers/http', { level: 'warn' });
  expect((await service.ask('DELETE', 'sys/loggers/http')).status).toBe(204);
  expect((await service.ask('GET', 'sys/loggers/http')).data).toEqual({ http: 'debug' });
  expect((await service.ask('DELETE', 'sys/loggers')).status).toBe(204);
  // The other process has its own log.
  const elsewhere = await ask({ address: other.address, token: service.rootToken, method: 'GET', path: 'sys/loggers' });
  expect(elsewhere.status).toBe(200);
});

test.each([
  ['POST', 'sys/loggers', {}, 400],
  ['POST', 'sys/loggers', { level: 'loud' }, 400],
  ['POST', 'sys/loggers', { level: { a: 1 } }, 400],
  ['POST', 'sys/loggers/none', { level: 'info' }, 404],
  ['GET', 'sys/loggers/none', undefined, 404],
  ['DELETE', 'sys/loggers/none', undefined, 404],
])('%s %s %j is %i', async (method, path, body, status) => {
  expect((await service.ask(method, path, body)).status).toBe(status);
});

test('a component created after the global level was set has that level', () => {
  const seen: string[] = [];
  const write = (_fields: object, message: string) => {
    seen.push(message);
  };
  const log = withLevels({ debug: write, info: write, warn: write, error: write }, 'info');
  partOf(log, 'early').debug({}, 'dropped');
  log.levels?.setAll('debug');
  partOf(log, 'late').debug({}, 'late');
  partOf(log, 'early').debug({}, 'early');
  log.levels?.setAll('silent');
  partOf(log, 'late').error({}, 'dropped');
  expect(seen).toEqual(['late', 'early']);
});

test('requests in flight are shown without their query', async () => {
  const shown = async () =>
    Object.values((await service.ask('GET', 'sys/in-flight-req')).data) as { request_path: string }[];
  expect(await shown()).toEqual([
    {
      start_time: expect.stringMatching(/^20/),
      client_remote_address: '127.0.0.1',
      request_path: '/v1/sys/in-flight-req',
      request_method: 'GET',
      client_id: '',
    },
  ]);
  // A request that waits for a locked row.
  await service.secret({ a: 1 }, 'held');
  const hold = service.store.transaction(async (tx) => {
    await tx.selectFrom('kv_secrets').selectAll().forUpdate().execute();
    const write = service.ask('POST', 'secret/data/held?cas=none', { data: { a: 2 } });
    await eventually(async () => (await shown()).some(({ request_path }) => request_path === '/v1/secret/data/held'));
    return { write };
  });
  await (await hold).write;
  expect(await shown()).toHaveLength(1);
});

test('there is no leader to step down, and the answering process is the one shown', async () => {
  expect((await service.ask('PUT', 'sys/step-down')).status).toBe(204);
  const { data } = await service.ask('GET', 'sys/ha-status');
  expect(data['nodes']).toMatchObject([{ active_node: true, api_address: expect.stringMatching(/^http:/) }]);
  const history = await service.ask('LIST', 'sys/version-history');
  const [version] = history.data['keys'] as string[];
  expect(history.data['key_info']).toMatchObject({ [String(version)]: { previous_version: null } });
});

test('information about the host and the counters are shown', async () => {
  expect((await service.ask('GET', 'sys/host-info')).data).toMatchObject({
    host: { hostname: expect.any(String) },
    memory: { total: expect.any(Number) },
  });
  const counted = await service.ask('GET', 'sys/internal/counters/tokens');
  expect(counted.data).toMatchObject({ counters: { service_tokens: { total: expect.any(Number) } } });
  expect((await service.ask('GET', 'sys/internal/counters/entities')).status).toBe(200);
  expect((await service.ask('GET', 'sys/internal/counters/requests')).data).toEqual({ counters: [] });
  expect((await service.ask('GET', 'sys/internal/counters/activity')).status).toBe(404);
});

test.each(['sys/monitor', 'sys/pprof', 'sys/pprof/heap'])('%s says that it is not available', async (path) => {
  const answer = await service.ask('GET', path);
  expect([answer.status, answer.errors[0]]).toEqual([404, expect.stringMatching(/^not supported: /)]);
});

test.each(['activecode', 'standbycode', 'drsecondarycode', 'performancestandbycode', 'sealedcode', 'uninitcode'])(
  'a %s that is not an HTTP status is refused',
  async (name) => {
    expect((await service.ask('GET', `sys/health?${name}=abc`)).status).toBe(400);
    expect((await service.ask('GET', `sys/health?${name}=299&standbyok=true&perfstandbyok=1`)).status).toBe(
      name === 'activecode' ? 299 : 200,
    );
  },
);
