import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eachOf } from '#core/concurrency/each-of.ts';
import { associationsOf, only } from '../../support/flow/associations.ts';
import { type InFlightProxy, startInFlightProxy } from '../../support/flow/calls/in-flight.ts';
import { groundOf, type, until } from '../../support/flow/ground.ts';
import type { Started } from '../../support/flow/processes.ts';
import { ending } from '../../support/services.ts';

const ground = groundOf();
let api: Started;
let inFlight: InFlightProxy;
beforeAll(async () => {
  api = await ground.start('serve');
  inFlight = await startInFlightProxy(ground.fake);
});
afterAll(() => inFlight.close());

/** Writes a secret and associates it with a destination of the same name. */
async function associate(name: string): Promise<void> {
  await ground.destination(api, name, inFlight.destination);
  await write(name, 'first');
  const association = { mount: 'secret', secret_name: name };
  await ground.client(api).write(`sys/sync/destinations/${type}/${name}/associations/set`, association);
}

const write = (name: string, v: string) => ground.client(api).write(`secret/data/${name}`, { data: { v } });

const association = async (name: string) =>
  only(associationsOf(await ground.client(api).read(`sys/sync/destinations/${type}/${name}/associations`)));

/** The values of all objects at the external system that are named after a secret. */
const copies = (name: string): readonly string[] =>
  [...ground.fake.objects()].filter(([at]) => at.includes(name)).map(([, { value }]) => value);

const calls = (operation: string): number => ground.fake.calls().get(operation) ?? 0;

const writesAtOnce = 8;

async function burst(name: string, count: number): Promise<void> {
  await eachOf([...Array(count).keys()], writesAtOnce, (index) => write(name, `value ${index}`));
  await write(name, 'the newest');
}

describe('a burst of writes to one secret', () => {
  test('is pushed once by a worker that starts after it', async () => {
    await associate('burst-before');
    await burst('burst-before', 100);
    const before = calls('CreateSecret') + calls('PutSecretValue');
    ending(await ground.start('worker'));
    await ground.untilQuiet();
    expect(copies('burst-before')).toEqual(['{"v":"the newest"}']);
    expect(calls('CreateSecret') + calls('PutSecretValue') - before).toBe(1);
  });

  test('of 1,000 is pushed a handful of times by a running worker, and ends at the newest value', async () => {
    await associate('burst-during');
    ending(await ground.start('worker'));
    await ground.untilQuiet();
    inFlight.delay(400);
    const before = calls('PutSecretValue');
    await burst('burst-during', 1_000);
    await ground.untilQuiet();
    inFlight.delay(0);
    expect(copies('burst-during')).toEqual(['{"v":"the newest"}']);
    expect(calls('PutSecretValue') - before).toBeLessThanOrEqual(20);
  });
});

/** The stage at which a push is when its worker is killed, and how a test stops it there. Resolves when the stage is reached. */
const moments: readonly (readonly [string, (operation: string) => Promise<void>])[] = [
  [
    'before the external system has applied the push',
    async (operation) => {
      const before = calls(operation);
      ground.fake.failOf(operation, { kind: 'hang' });
      await until(() => calls(operation) > before);
    },
  ],
  [
    'after the external system has applied the push and lost the answer',
    async (operation) => {
      const before = calls(operation);
      ground.fake.failOf(operation, { kind: 'lost-answer', times: 1 });
      await until(() => calls(operation) > before);
    },
  ],
  ['while the answer is on its way', (operation) => inFlight.swallow(operation)],
];

describe.each(moments)('a worker that is killed %s', (_moment, untilThere) => {
  test('leaves a creation to the next worker, which recognizes our own object and creates no second one', async () => {
    const name = `create-${moments.findIndex(([, reach]) => reach === untilThere)}`;
    const there = untilThere('CreateSecret');
    await associate(name);
    const first = ending(await ground.start('worker'));
    await there;
    await first.end('SIGKILL');
    ground.fake.heal();
    ending(await ground.start('worker'));
    await ground.untilQuiet();
    expect(copies(name)).toEqual(['{"v":"first"}']);
    expect(await association(name)).toMatchObject({ sync_status: 'SYNCED', error: null });
  });

  test('leaves an update to another running worker, which ends at the newest value', async () => {
    const name = `update-${moments.findIndex(([, reach]) => reach === untilThere)}`;
    await associate(name);
    const first = ending(await ground.start('worker'));
    await ground.untilQuiet();
    const there = untilThere('PutSecretValue');
    await write(name, 'second');
    await there;
    ending(await ground.start('worker'));
    await write(name, 'third');
    await first.end('SIGKILL');
    ground.fake.heal();
    await ground.untilQuiet();
    expect(copies(name)).toEqual(['{"v":"third"}']);
    expect(await association(name)).toMatchObject({ sync_status: 'SYNCED', error: null });
  });
});
