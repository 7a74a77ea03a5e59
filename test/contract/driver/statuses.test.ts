import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { Secret } from '../../../lib/core/secret.ts';
import { DestinationFailure, type Driver, type FailureKind, type PutItem } from '../../../lib/destinations/contract.ts';
import { definitions } from '../../../lib/destinations/index.ts';
import { isCall } from '../support/asked.ts';
import { partyFor } from '../support/party.ts';
import { calm } from '../support/stand.ts';

/** What each status means, whatever comes with it. */
const kinds: Readonly<Record<number, readonly FailureKind[]>> = {
  400: ['invalid'],
  401: ['credentials'],
  403: ['permission'],
  404: ['missing'],
  // A conflict, or a change of somebody else that is under way.
  409: ['conflict', 'unavailable'],
  413: ['too-large'],
  429: ['throttled'],
  500: ['unavailable'],
  502: ['unavailable'],
  503: ['unavailable'],
  504: ['unavailable', 'timeout'],
};

/** Bodies that proxies, gateways and systems in trouble send with a status. */
const bodies: Readonly<Record<string, readonly [type: string, text: string]>> = {
  'no body': ['', ''],
  'an empty JSON text': ['application/json', ''],
  'a page': ['text/html', '<html><body>Something went wrong</body></html>'],
  'half a document': ['application/json', '{"error":{"code":"For'],
  'an empty document': ['application/json', '{}'],
  'an empty list': ['application/json', '[]'],
  null: ['application/json', 'null'],
  'a text for an error': ['application/json', '{"error":"no"}'],
};

const retryAfterSeconds = 7;
const cases = Object.keys(kinds).flatMap((status) =>
  Object.keys(bodies).map((body) => [Number(status), body] as const),
);

describe.each(definitions)('a refusal by $type', (definition) => {
  const party = partyFor(definition);

  async function written(driver: Driver): Promise<PutItem> {
    const item = party.item('the value for the system');
    const { remoteVersion } = await driver.put(item, calm);
    return { ...item, mode: 'update', remoteVersion, value: new Secret('a newer value') };
  }

  test.each(cases)('with status %i and %s is what the status says', async (status, body) => {
    const driver = party.open();
    const object = await written(driver);
    const [type, text] = bodies[body] ?? ['', ''];
    party.between.meet((asked) => (isCall(asked) ? answer(status, type, text) : undefined));
    const failures = [
      await driver.put(party.item('the value that is refused'), calm).catch(failureOf),
      await driver.put(object, calm).catch(failureOf),
      await driver.put({ ...object, asRecorded: true }, calm).catch(failureOf),
      // What is not there needs no removal.
      ...(status === 404 ? [] : [await driver.remove(object, calm).catch(failureOf)]),
    ];
    for (const failure of failures) {
      expect(failure, `${status}, ${body}`).toBeInstanceOf(DestinationFailure);
      expect(kinds[status], String(failure)).toContain(Object(failure).kind);
      if (status === 429) expect(failure).toMatchObject({ retryAfterMs: retryAfterSeconds * 1_000 });
    }
  });
});

const answer = (status: number, type: string, text: string) => (response: ServerResponse) => {
  const retryAfter = status === 429 ? { 'retry-after': String(retryAfterSeconds) } : {};
  const headers = { ...retryAfter, ...(type !== '' && { 'content-type': type }) };
  response.writeHead(status, headers).end(text);
};

const failureOf = (error: unknown): unknown => error;
