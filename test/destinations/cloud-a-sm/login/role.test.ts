import { connect as dial, createServer as listenRaw } from 'node:net';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type CloudASmFake, startFake } from '#destinations/cloud-a-sm/fake/index.ts';
import { openCredentials } from '#destinations/cloud-a-sm/login/login.ts';
import { settingsOf } from '#destinations/cloud-a-sm/login/sdk.ts';
import { guardedAgents } from '#network/connection/agents.ts';
import { patience } from '#test/support/measures/patience.ts';
import { calm, connect, contextFor, failureOf, item, open } from '../connection.ts';

let fake: CloudASmFake;

beforeEach(async () => {
  fake = await startFake();
  // Settings of this machine must not matter.
  for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) vi.stubEnv(name, undefined);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await fake.close();
});

/** Another port of the same stand-in. */
async function relayTo({ url }: CloudASmFake) {
  let dialled = 0;
  const server = listenRaw((socket) => {
    dialled += 1;
    const onward = dial(Number(new URL(url).port), '127.0.0.1');
    socket.pipe(onward).pipe(socket);
    for (const end of [socket, onward]) end.on('error', () => end.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { port, dialled: () => dialled, close: () => server.close() };
}

describe('a role', () => {
  test('is assumed once for many calls, including concurrent ones', async () => {
    const driver = open(fake, fake.roleDestination);
    const names = Array.from({ length: 20 }, (_, n) => `app/${n}`);
    await Promise.all(names.map((name) => driver.put(item(name, 'one'), calm())));
    await driver.put(item('app/last', 'one'), calm());
    expect(fake.objects().size).toBe(21);
    expect(fake.calls().get('AssumeRole')).toBe(1);
    await driver.close();
  });

  test('is not assumed with another external id or if it does not exist', async () => {
    for (const wrong of [{ external_id: 'another' }, { role_arn: 'arn:aws:iam::111122223333:role/none' }]) {
      const driver = open(fake, { ...fake.roleDestination, ...wrong });
      const failure = await failureOf(driver.put(item('app/db', 'one'), calm()));
      expect(failure.kind).toBe('permission');
      expect(failure.message).toMatch(/^cannot write secret app\/db: cannot assume role arn:/);
      expect(failure.said?.reveal()).toContain('sts:AssumeRole');
      await driver.close();
    }
    expect(fake.objects().size).toBe(0);
  });

  test.each([
    ['throttle', 'throttled'],
    ['unavailable', 'unavailable'],
    ['denied', 'permission'],
    ['credentials', 'credentials'],
    ['reset', 'network'],
  ] as const)('cannot be assumed: %s is %s, and the next attempt works', async (fault, kind) => {
    const driver = open(fake, fake.roleDestination);
    fake.fail({ kind: fault, times: 1 });
    const failure = await failureOf(driver.put(item('app/db', 'one'), calm()));
    expect([failure.kind, failure.message]).toEqual([kind, expect.stringContaining('cannot assume role')]);
    await driver.put(item('app/db', 'one'), calm());
    await driver.close();
  });

  test('that may not be assumed makes a look fail, unlike a missing permission to look', async () => {
    const driver = open(fake, { ...fake.roleDestination, external_id: 'another' });
    expect((await failureOf(driver.inspect('app/db', calm()))).kind).toBe('permission');
    await driver.close();
  });

  test('is assumed at sts_endpoint, through the networking guard, and not at endpoint', async () => {
    const relay = await relayTo(fake);
    const { port } = relay;
    const body = { ...fake.roleDestination, sts_endpoint: `http://127.0.0.1:${port}` };
    const guarded = open(fake, body);
    const failure = await failureOf(guarded.put(item('app/db', 'one'), calm()));
    expect([failure.kind, failure.message]).toEqual(['blocked', expect.stringContaining('allowed_ports')]);
    expect(fake.calls().size).toBe(0);
    const { network } = contextFor(fake);
    const driver = open(fake, body, { network: { ...network, allowedPorts: [...network.allowedPorts, port] } });
    await driver.put(item('app/db', 'one'), calm());
    expect(fake.calls().get('AssumeRole')).toBe(1);
    expect(relay.dialled()).toBe(1);
    relay.close();
    await Promise.all([guarded.close(), driver.close()]);
  });

  test('is assumed at the STS of its region when only endpoint is set, which serves only Secrets Manager', async () => {
    const asked: string[] = [];
    class Recorder extends NodeHttpHandler {
      override async handle({ hostname }: Parameters<NodeHttpHandler['handle']>[0]): Promise<never> {
        asked.push(hostname);
        throw new Error('nothing is called');
      }
    }
    const connection = connect({ ...fake.roleDestination, region: 'eu-west-1', sts_endpoint: '' });
    const { network, timeouts } = contextFor(fake);
    const settings = settingsOf(connection, guardedAgents(network, timeouts), timeouts.requestMs);
    const requestHandler = new Recorder();
    await failureOf(openCredentials(connection, network, { ...settings, requestHandler }, timeouts, () => {})());
    expect(asked).toEqual(['sts.eu-west-1.amazonaws.com']);
  });

  test('that hangs ends at its deadline and by an abort', async () => {
    const driver = open(fake, fake.roleDestination, {
      timeouts: { connectMs: patience.conditionMs, requestMs: 1_000 },
    });
    fake.fail({ kind: 'hang' });
    expect((await failureOf(driver.inspect('app/db', calm()))).kind).toBe('timeout');
    const longTimeout = open(fake, fake.roleDestination);
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 50);
    expect((await failureOf(longTimeout.inspect('app/db', controller.signal))).kind).toBe('timeout');
    await Promise.all([driver.close(), longTimeout.close()]);
  });
});
