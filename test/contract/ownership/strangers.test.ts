import { describe, expect, test } from 'vitest';
import { Secret } from '#core/secret.ts';
import { DestinationFailure, type Driver } from '#destinations/contract.ts';
import { definitions } from '#destinations/index.ts';
import { listingBytesMax } from '#network/answer-size.ts';
import { isCall, isWrite } from '../support/asked.ts';
import type { Asked } from '../support/between.ts';
import { partyFor } from '../support/party.ts';
import { calm } from '../support/stand.ts';
import { bombBytes, endlessBytesMax, giants, headers, loginPath, strangers, taken } from './strangers.ts';

const scopes: Readonly<Record<string, (asked: Asked) => boolean>> = {
  'for all requests': () => true,
  'for all requests but the login': isCall,
  'for all writes': (asked) => isCall(asked) && isWrite(asked),
};

describe.each(definitions)('instead of an answer of $type', (definition) => {
  const party = partyFor(definition);

  /** Writes one of our objects. */
  async function written(driver: Driver) {
    const item = party.item('the value for the system');
    const { remoteVersion } = await driver.put(item, calm);
    return { ...item, remoteVersion };
  }

  async function warm(driver: Driver): Promise<Driver> {
    await written(driver);
    return driver;
  }

  describe.each(Object.entries(scopes))('%s', (_scope, isMet) => {
    test.each(Object.entries(strangers))(
      '%s makes every verb fail, with advice where to look',
      async (_what, answer) => {
        for (const body of party.bodies()) {
          const object = await written(party.open(body));
          // A new driver must still log in; a used one is already logged in.
          for (const driver of [party.open(body), await warm(party.open(body))]) {
            const { between, fake } = party;
            between.meet((asked) => (isMet(asked) || asked.path === loginPath ? answer : undefined));
            const before = between.met;
            const newer = { ...object, mode: 'update' as const, value: new Secret('a newer value') };
            await refused(driver.put(party.item('the value that stays here'), calm));
            await refused(driver.put(newer, calm));
            await refused(driver.remove(object, calm));
            expect(between.met).toBeGreaterThan(before);
            between.meet(() => undefined);
            expect(fake.objects().get(object.name)?.value).toBe('the value for the system');
          }
        }
      },
    );
  });

  test.each(Object.entries(giants))('%s is not read to its end', async (_what, answer) => {
    const { between } = party;
    const driver = await warm(party.open());
    const object = await written(driver);
    taken.length = 0;
    const peak = peakBytes();
    for (const isMet of Object.values(scopes)) {
      between.meet((asked) => (isMet(asked) ? answer : undefined));
      await refused(driver.put(party.item('the value that stays here'), calm));
      await refused(driver.remove(object, calm));
    }
    await refused(party.open().put(party.item('the value that stays here'), calm));
    // A listing is read up to 64 MB, other answers up to 1 MB; the rest is in socket buffers.
    for (const bytes of taken) expect(bytes).toBeLessThan(Math.min(endlessBytesMax, listingBytesMax * 2));
    expect(peak.stop()).toBeLessThan(bombBytes / 2);
  });

  test('too many headers make a put fail', async () => {
    party.between.meet(() => headers);
    const failure = await refused(party.open().put(party.item('the value that stays here'), calm));
    expect(failure.message).toMatch(/headers/);
  });
});

/** The failure for a foreign answer, which is neither internal nor blamed on the credentials or the fields. */
async function refused(verb: Promise<unknown>): Promise<DestinationFailure> {
  const failure = await verb.then(
    () => 'the verb succeeded',
    (error: unknown) => error,
  );
  if (!(failure instanceof DestinationFailure)) throw new Error('a failure was expected', { cause: failure });
  expect(['unavailable', 'invalid'], failure.message).toContain(failure.kind);
  expect(failure.message).toMatch(/check (endpoint|authority_host), and whether a proxy or a login page/);
  return failure;
}

/** Measures the peak of additional memory in use, sampled between other work. */
function peakBytes() {
  const used = () => {
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const start = used();
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, used() - start);
  }, 5);
  return {
    stop() {
      clearInterval(timer);
      return peak;
    },
  };
}
