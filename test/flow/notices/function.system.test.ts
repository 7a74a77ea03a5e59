import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { patience } from '#test/support/measures/patience.ts';
import { receiver } from '#test/support/servers/receiver.ts';
import { deliveriesOf, eventsOf, notification } from './ground.ts';

const type = 'cloud-b-kv';
const service = serviceOf([type]);
const root = new URL('../../../', import.meta.url).pathname;

test('an invocation of the sweep function tells what has happened, and sends it, before it ends', async () => {
  const to = await receiver();
  const { name: hook } = await notification(service, to.url);
  const name = await service.destination(type);
  service.fake(type).fail({ kind: 'credentials', times: 1_000 });
  await service.set(type, name, await service.secret({ v: '1' }));
  expect(await invoked()).toMatchObject({ told: 1 });
  expect((await eventsOf(service.ask, name)).map(({ kind }) => kind)).toEqual(['destination.failing']);
  expect(to.got.map(({ body }) => body['destination'])).toEqual([{ type, name }]);
  expect(await deliveriesOf(service.ask, hook)).toMatchObject([{ state: 'delivered', attempts: 1 }]);
  expect(await invoked()).toMatchObject({ told: 0 });
  expect(to.got).toHaveLength(1);
});

/** The result of one invocation, in a process of its own like that of a function. */
async function invoked(): Promise<object> {
  const program = `
    import { handler } from './functions/sweep.ts';
    const context = { getRemainingTimeInMillis: () => ${patience.testMs} };
    process.stdout.write(JSON.stringify(await handler({}, context)), () => process.exit(0));`;
  const { config } = service;
  const env = {
    PATH: process.env['PATH'],
    DATABASE_URL: config.DATABASE_URL,
    REDIS_URL: config.REDIS_URL,
    KEYFERRY_REDIS_PREFIX: config.KEYFERRY_REDIS_PREFIX,
    KEYFERRY_SEAL_KEY: config.KEYFERRY_SEAL_KEY,
    KEYFERRY_NETWORK_ALLOWED: 'all',
  };
  const args = ['--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, env, timeout: patience.testMs });
  return JSON.parse(stdout);
}
