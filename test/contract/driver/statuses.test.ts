import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { Secret } from '#core/secret.ts';
import { DestinationFailure, type Driver, type FailureKind, type PutItem } from '#destinations/contract.ts';
import { definitions } from '#destinations/index.ts';
import { isCall } from '../support/asked.ts';
import { partyFor } from '../support/party.ts';
import { calm } from '../support/stand.ts';

/** The kinds of failure of each status, whatever the body. */
const kinds: Readonly<Record<number, readonly FailureKind[]>> = {
  400: ['invalid'],
  401: ['credentials'],
  403: ['permission'],
  404: ['missing'],
  // A conflict, or a concurrent change by another client.
  409: ['conflict', 'unavailable'],
  413: ['too-large'],
  429: ['throttled'],
  500: ['unavailable'],
  502: ['unavailable'],
  503: ['unavailable'],
  504: ['unavailable', 'timeout'],
};

/** Bodies that proxies, gateways and overloaded systems send with a status. */
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

  test.each(cases)('with status %i and %s gets the kind of its status', async (status, body) => {
    const driver = party.open();
    const object = await written(driver);
    const [type, text] = bodies[body] ?? ['', ''];
    party.between.meet((asked) => (isCall(asked) ? answer(status, type, text) : undefined));
    const failures = [
      await driver.put(party.item('the value that is refused'), calm).catch(failureOf),
      await driver.put(object, calm).catch(failureOf),
      await driver.put({ ...object, asRecorded: true }, calm).catch(failureOf),
      // Removing a missing object succeeds.
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
