import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CloudASmFake, startFake } from '#destinations/cloud-a-sm/fake/index.ts';
import { DestinationFailure, type Driver, type PutMode } from '#destinations/contract.ts';
import { patience } from '../../support/measures/patience.ts';
import { calm, item, newMark, open } from './connection.ts';

let fake: CloudASmFake;
let driver: Driver;

beforeAll(async () => {
  fake = await startFake();
  driver = open(fake);
});
afterAll(async () => {
  await driver.close();
  await fake.close();
});

const operation = fc.constantFrom(
  'CreateSecret',
  'PutSecretValue',
  'TagResource',
  'UntagResource',
  'DeleteSecret',
  'RestoreSecret',
  'DescribeSecret',
);
const fault = fc.record({
  operation,
  kind: fc.constantFrom('lost-answer' as const, 'reset' as const, 'throttle' as const),
});
const step = fc.record({
  verb: fc.constantFrom('put' as const, 'put' as const, 'remove' as const),
  value: fc.constantFrom('one', 'two', 'last'),
  fault: fc.option(fault, { nil: undefined }),
  /** Whether the put after a removal is of another association. */
  another: fc.boolean(),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** The sync's record of an object. It changes only with the answer to a put or a removal. */
interface Kept {
  readonly mode: PutMode;
  readonly mark: string;
  readonly intent: string;
  readonly remoteVersion: string | null;
  readonly asRecorded: boolean;
}

async function take(name: string, kept: Kept, { verb, value, another }: Step): Promise<Kept> {
  if (verb === 'remove') {
    await driver.remove(item(name, '', kept), calm());
    const intent = `${kept.intent} and on`;
    return { mode: 'create', mark: another ? newMark() : kept.mark, intent, remoteVersion: null, asRecorded: true };
  }
  const receipt = await driver.put(item(name, value, kept), calm());
  expect(fake.objects().get(name)).toEqual({ value, tags: item(name, '', kept).tags });
  return { ...kept, mode: 'update', ...receipt, asRecorded: true };
}

/** The test makes tens of thousands of calls, so a busy machine needs more than the usual time. */
const testMsMax = 3 * patience.testMs;

const passing = ['network', 'throttled', 'timeout'];

test(
  'whichever answers are lost, every successful put leaves its value, and no put ends in a conflict',
  async () => {
    let names = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 14 }), async (steps) => {
        names += 1;
        const name = `app/${names}`;
        let kept: Kept = { mode: 'create', mark: newMark(), intent: '1', remoteVersion: null, asRecorded: true };
        for (const one of steps) {
          if (one.fault !== undefined) fake.failOf(one.fault.operation, { kind: one.fault.kind, times: 1 });
          kept = await take(name, kept, one).catch((error: unknown) => {
            if (error instanceof DestinationFailure && passing.includes(error.kind))
              return { ...kept, asRecorded: false };
            throw error;
          });
          fake.heal();
        }
        await take(name, kept, { verb: 'put', value: 'last', fault: undefined, another: false });
      }),
      { numRuns: 150 },
    );
  },
  testMsMax,
);
