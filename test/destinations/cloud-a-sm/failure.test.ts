import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ServiceFailure, toFailure } from '#destinations/cloud-a-sm/failure/failure.ts';
import type { Driver } from '#destinations/contract.ts';
import { patience } from '../../support/measures/patience.ts';
import { strictPolicy } from '../../support/network/policy.ts';
import { calm, failureOf, item, open, standForEach } from './connection.ts';

const stand = standForEach();
const value = 'MARKER-never-to-be-shown';

const verbs = {
  put: () => stand.driver.put(item('app/db', value), calm()),
  remove: () => stand.driver.remove(item('app/db', ''), calm()),
  inspect: () => stand.driver.inspect('app/db', calm()),
};

describe('each fault of the service has its kind', () => {
  test.each([
    ['throttle', 'throttled'],
    ['unavailable', 'unavailable'],
    ['credentials', 'credentials'],
    ['reset', 'network'],
  ] as const)('%s is %s in every verb', async (fault, kind) => {
    stand.fake.fail({ kind: fault });
    for (const verb of Object.values(verbs)) {
      const failure = await failureOf(verb());
      expect(failure.kind).toBe(kind);
      expect(`${failure.message} ${failure.stack}`).not.toContain(value);
    }
  });

  test('denied is permission for put and remove, and unknown for a look', async () => {
    stand.fake.fail({ kind: 'denied' });
    const failure = await failureOf(verbs.put());
    expect(failure.kind).toBe('permission');
    expect(failure.said?.reveal()).toContain('secretsmanager:CreateSecret');
    expect((await failureOf(verbs.remove())).kind).toBe('permission');
    expect(await verbs.inspect()).toBe('unknown');
  });

  test('a throttled call reports the wait that the service asks for', async () => {
    stand.fake.fail({ kind: 'throttle', retryAfterSeconds: 7, times: 1 });
    expect((await failureOf(verbs.put())).retryAfterMs).toBe(7_000);
    stand.fake.fail({ kind: 'throttle', times: 1 });
    expect((await failureOf(verbs.put())).retryAfterMs).toBeUndefined();
  });

  test('a call is made once: retries are not the SDK’s', async () => {
    stand.fake.fail({ kind: 'unavailable' });
    await failureOf(verbs.inspect());
    await failureOf(verbs.inspect());
    expect(stand.fake.calls().get('DescribeSecret')).toBe(2);
  });

  test('no answer within requestMs is a timeout', async () => {
    const shortTimeout = open(stand.fake, {}, { timeouts: { connectMs: patience.conditionMs, requestMs: 1_000 } });
    stand.fake.fail({ kind: 'hang' });
    const failure = await failureOf(shortTimeout.put(item('app/db', value), calm()));
    expect([failure.kind, failure.message]).toEqual([
      'timeout',
      'cannot write secret app/db: no answer within 1000 ms',
    ]);
    await shortTimeout.close();
  });

  test('an abort ends a call in flight, and prevents a later one', async () => {
    stand.fake.fail({ kind: 'hang' });
    const controller = new AbortController();
    const putting = failureOf(stand.driver.put(item('app/db', value), controller.signal));
    setTimeout(() => controller.abort(), 50);
    expect((await putting).kind).toBe('timeout');
    const before = stand.fake.calls().get('CreateSecret');
    expect((await failureOf(stand.driver.put(item('app/db', value), controller.signal))).kind).toBe('timeout');
    expect(stand.fake.calls().get('CreateSecret')).toBe(before);
  });

  test('wrong keys are a credentials failure whose message shows none of them', async () => {
    const unknown = open(stand.fake, { access_key_id: 'AKIAUNKNOWN', secret_access_key: 'MARKER-key' });
    const wrong = open(stand.fake, { secret_access_key: 'MARKER-key' });
    for (const one of [unknown, wrong]) {
      const failure = await failureOf(one.put(item('app/db', value), calm()));
      expect(failure.kind).toBe('credentials');
      expect(failure.message).not.toMatch(/MARKER|AKIA/);
      await one.close();
    }
  });

  test('a wrong clock is a temporary failure, not a credentials failure', async () => {
    stand.fake.shiftClock(60 * 60_000);
    expect((await failureOf(verbs.put())).kind).toBe('unavailable');
    await verbs.put();
    expect(stand.fake.objects().get('app/db')?.value).toBe(value);
  });

  test('more versions than the quota allows are a quota failure', async () => {
    let receipt = await stand.driver.put(item('app/db', 'value 0'), calm());
    for (let n = 1; n < 100; n += 1) {
      receipt = await stand.driver.put(item('app/db', `value ${n}`, { mode: 'update', ...receipt }), calm());
    }
    const failure = await failureOf(stand.driver.put(item('app/db', 'one more', { mode: 'adopt' }), calm()));
    expect(failure.kind).toBe('quota');
  });
});

describe('another server', () => {
  let server: Server;
  let answer: { status: number; body: string; headers?: Record<string, string> };

  beforeEach(async () => {
    server = createServer((_request, response) => {
      response.writeHead(answer.status, { 'content-type': 'text/html', ...answer.headers }).end(answer.body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  function elsewhere(): Driver {
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const network = { ...strictPolicy, allowedIpv4: ['127.0.0.0/8'], allowedPorts: [port] };
    return open(stand.fake, { endpoint: `http://127.0.0.1:${port}` }, { network });
  }

  test.each([
    [200, 'unavailable'],
    [301, 'invalid'],
    [403, 'permission'],
    [404, 'missing'],
    [413, 'too-large'],
    [429, 'throttled'],
    [502, 'unavailable'],
  ] as const)('a page with status %i is %s and is not repeated', async (status, kind) => {
    answer = { status, body: '<html>MARKER page</html>' };
    const stranger = elsewhere();
    const failure = await failureOf(stranger.put(item('app/db', value), calm()));
    expect([failure.kind, failure.message]).toEqual([kind, expect.not.stringContaining('MARKER')]);
    await stranger.close();
  });

  test('a date as Retry-After is compared with the clock of the answer', async () => {
    const headers = { date: 'Wed, 01 Jan 2020 00:00:00 GMT', 'retry-after': 'Wed, 01 Jan 2020 00:01:30 GMT' };
    answer = { status: 503, body: '', headers };
    const stranger = elsewhere();
    expect((await failureOf(stranger.inspect('app/db', calm()))).retryAfterMs).toBe(90_000);
    await stranger.close();
  });

  test('a closed port is a network failure that names the reason', async () => {
    const stranger = elsewhere();
    await new Promise((resolve) => server.close(resolve));
    const failure = await failureOf(stranger.put(item('app/db', value), calm()));
    expect([failure.kind, failure.message]).toEqual(['network', expect.stringContaining('ECONNREFUSED')]);
    await stranger.close();
  });

  test('strict networking blocks the stand-in, for secrets and for roles', async () => {
    for (const body of [stand.fake.destination, stand.fake.roleDestination]) {
      const strict = open(stand.fake, body, { network: strictPolicy });
      const failure = await failureOf(strict.put(item('app/db', value), calm()));
      expect([failure.kind, failure.message]).toEqual(['blocked', expect.stringContaining('allowed_ports')]);
      await strict.close();
    }
    expect(stand.fake.calls().size).toBe(0);
  });
});

describe('texts of the service', () => {
  const thrown = (name: string, message: string) =>
    toFailure(Object.assign(new Error(message), { name, $metadata: { httpStatusCode: 400 } }));

  test('are quoted where they help, but not where they may quote the request', () => {
    const denied = thrown('AccessDeniedException', 'not authorized to perform: x');
    expect(denied.said?.reveal()).toContain('perform: x');
    for (const code of ['ValidationException', 'InvalidParameterException', 'SignatureDoesNotMatch', 'NewException']) {
      expect([thrown(code, value).message, thrown(code, value).said]).toEqual([
        expect.not.stringContaining(value),
        undefined,
      ]);
    }
  });

  test('are not taken for codes, because another server may have sent them', () => {
    expect(thrown(value, '').message).not.toContain(value);
    expect(thrown('Not a code', '').message).toMatch(/^status 400; /);
  });

  test.each([
    ['RequestLimitExceeded', 'throttled'],
    ['TooManyRequestsException', 'throttled'],
    ['InvalidClientTokenId', 'credentials'],
    ['ExpiredTokenException', 'credentials'],
    ['RequestExpired', 'unavailable'],
    ['LimitExceededException', 'quota'],
    ['EncryptionFailure', 'invalid'],
    ['InternalServiceError', 'unavailable'],
    ['SomethingNew', 'invalid'],
  ] as const)('%s is %s', (code, kind) => {
    expect(thrown(code, '').kind).toBe(kind);
  });

  test('report a scheduled deletion in several wordings', () => {
    const wordings = [
      'was marked for deletion.',
      'is already scheduled for deletion.',
      'that is currently marked deleted.',
    ];
    for (const wording of wordings) {
      const failure = thrown('InvalidRequestException', wording);
      expect(failure instanceof ServiceFailure && failure.scheduled).toBe(true);
    }
  });
});
