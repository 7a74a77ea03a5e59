import { expect, test } from 'vitest';
import { z } from 'zod';
import { systemClock } from '#core/clock.ts';
import { Secret } from '#core/secret.ts';
import {
  type DestinationDefinition,
  DestinationFailure,
  type Driver,
  type DriverContext,
} from '#destinations/contract.ts';
import { openRedacted } from '#destinations/frame/redaction/open-redacted.ts';
import { redacted } from '#destinations/frame/redaction/redact.ts';
import { strictPolicy } from '#test/support/network/policy.ts';
import { failureOf, never, putOf } from '../../driving.ts';

const mark = '0'.repeat(32);
const value = 'correct horse battery staple';
const key = 'the key of the destination';
const token = 'a token of a login';
const appKey = 'the private key of an app';

const definition: DestinationDefinition = {
  type: 'made-up',
  alias: 'made-up',
  title: 'Made up',
  fields: { key: z.string().optional().meta({ sensitive: true }), region: z.string() },
  links: [],
  validate: () => [],
  granularity: 'secret-path',
  templates: { 'secret-path': '', 'secret-key': '' },
  names: {
    lengthMax: 9,
    pattern: /x/,
    text: '',
    normalise: (name) => name,
    refuse: () => undefined,
    key: (name) => name,
  },
  valueBytesMax: 9,
  publicMembers: ['project'],
  rate: { callsPerSecond: 1, burst: 1 },
  rateAccount: () => [],
  concurrencyMax: 1,
};

/** A redacted driver whose verbs fail as given, and the logged lines. */
function open(fail: (context: DriverContext) => unknown, connection = { key, region: 'here' }) {
  const lines: unknown[] = [];
  const write = (fields: object, message: string) => void lines.push({ ...fields, message });
  const openDriver = (_connection: unknown, context: DriverContext): Driver => {
    const verb = async () => {
      throw await fail(context);
    };
    const shared = async () => {
      const failure = await fail(context);
      return failure instanceof DestinationFailure ? [1, 2].map(() => ({ ok: false as const, failure })) : [];
    };
    return {
      put: verb,
      putMany: shared,
      remove: verb,
      inspect: verb,
      check: async () => [],
      close: async () => undefined,
    };
  };
  const driver = openRedacted({ definition, openDriver }, connection, {
    network: strictPolicy,
    timeouts: { connectMs: 1, requestMs: 1 },
    clock: systemClock,
    log: { debug: write, info: write, warn: write, error: write },
    app: async () => ({ appId: 1, privateKey: new Secret(appKey), addresses: {} }),
    credentialFiles: { folder: undefined, endpoints: [] },
  });
  return { driver, lines };
}

const item = putOf('app/db', value, mark);
const said = `app/db ${[value, key, token, appKey].join(' and ')} here`;

test("a remote's text is shown without the value, the key, a token and the key of an app; names stay", async () => {
  const { driver } = open(async ({ obtained, app }) => {
    obtained?.(token);
    await app('any');
    return new DestinationFailure('invalid', 'cannot write app/db', { said });
  });
  const failure = await failureOf(driver.put(item, never));
  expect(failure.message).toBe(
    `cannot write app/db; the remote says "app/db ${Array.from({ length: 4 }, () => redacted).join(' and ')} here"`,
  );
  expect(failure.said).toBeUndefined();
});

test('kind, wait and `untouched` are kept; the cause is dropped', async () => {
  const options = { retryAfterMs: 7, untouched: true, cause: new Error(value) };
  const { driver } = open(() => new DestinationFailure('throttled', 'slow down', options));
  const failure = await failureOf(driver.put(item, never));
  expect(failure).toMatchObject({ kind: 'throttled', message: 'slow down', retryAfterMs: 7, untouched: true });
  expect(failure.cause).toBeUndefined();
});

test('a long text is redacted, then joined to one line and cut', async () => {
  const { driver } = open(
    () => new DestinationFailure('invalid', 'no', { said: `${'word\n'.repeat(58)}${value} ${'end '.repeat(99)}` }),
  );
  const { message } = await failureOf(driver.put(item, never));
  expect(message).toMatch(/^no; the remote says "(word ){58}\[redacted\]"$/);
});

test.each(['remove', 'inspect', 'put', 'putMany'] as const)(
  'an internal failure of %s is logged without secrets',
  async (verb) => {
    const cause = Object.assign(new TypeError(`cannot read ${value}`), { code: 'ERR_ODD', cause: new Error(key) });
    const { driver, lines } = open(() => new DestinationFailure('internal', `odd: ${key}`, { cause }));
    const failure = await (verb === 'putMany'
      ? driver.putMany?.([item, item], never).then(([first, second]) => (first === second ? undefined : first))
      : verb === 'inspect'
        ? failureOf(driver.inspect('app/db', never))
        : failureOf(driver[verb](item, never)));
    expect(JSON.stringify([failure, lines])).not.toMatch(/horse|the key of/);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      type: 'made-up',
      names: expect.arrayContaining(['app/db']),
      trail: [expect.stringContaining('TypeError ERR_ODD'), expect.stringContaining('Error')],
    });
  },
);

test('an error that is not a failure of the contract becomes an internal failure without its text', async () => {
  const { driver, lines } = open(() => new RangeError(`no ${value}`));
  const failure = await failureOf(driver.put(item, never));
  expect(failure).toMatchObject({
    kind: 'internal',
    message: 'the put failed unexpectedly; see the log of the worker',
  });
  expect(JSON.stringify(lines)).toContain('RangeError');
  expect(JSON.stringify(lines)).not.toContain('horse');
});

test('in a sensitive JSON field all members are secret but those that the type declares public', async () => {
  const json = JSON.stringify({ project: 'project-one', secret: 'secret-of-json' });
  const answer = () => new DestinationFailure('invalid', 'no', { said: 'project-one secret-of-json' });
  const { driver } = open(answer, { key: json, region: 'here' });
  expect((await failureOf(driver.inspect('app/db', never))).message).toBe(
    `no; the remote says "project-one ${redacted}"`,
  );
});
