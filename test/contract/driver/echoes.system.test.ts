import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { DestinationFailure, type Driver } from '#destinations/contract.ts';
import { definitions } from '#destinations/index.ts';
import { factsOf } from '../../support/facts.ts';
import { isCall } from '../support/asked.ts';
import { echo, echoXml, fewStatuses, type Quote, quotes, statuses } from '../support/echo.ts';
import { leaksOf } from '../support/leaks.ts';
import { partyFor } from '../support/party.ts';
import { calm, credentialsOf } from '../support/stand.ts';

const password = `${randomBytes(15).toString('hex')}/+"é`;
const values: Readonly<Record<string, { readonly value: string; readonly start: string }>> = {
  'a plain value': { value: password, start: password.slice(0, 20) },
  'a value of several members': {
    value: JSON.stringify({ user: 'reader', password, port: 5432, key: { pem: `-----BEGIN KEY-----\n${password}\n` } }),
    start: password.slice(0, 20),
  },
};

/** This many consecutive characters of a value or a credential are a leak. */
const partLength = 9;

describe.each(definitions)('a $type that quotes the request', (definition) => {
  const { code: documented, quoted } = factsOf(definition.type).refusals;
  const party = partyFor(definition);
  const lines: unknown[] = [];
  const write = (fields: object, message: string) => void lines.push({ fields, message });
  const log = { debug: write, info: write, warn: write, error: write };
  const credentials = () =>
    party
      .bodies()
      .flatMap((body) => credentialsOf(definition, body))
      .flatMap((credential) => partsOf(credential));

  describe.each(Object.entries(values))('with %s', (_what, { value, start }) => {
    test.each(Object.entries(quotes))('discloses neither it nor a credential: %s', async (how, quoting) => {
      const quote = quoting(start);
      for (const body of party.bodies()) {
        const worked = party.open(body, { exit: { log } });
        await worked.put(party.item('the value of an earlier put'), calm);
        for (const status of how === 'the whole request' ? statuses : fewStatuses)
          await mustShowNothing(worked, status, quote);
        for (const status of fewStatuses) await mustShowNothing(worked, status, quote, documented);
        await mustShowNothing(party.open(body, { exit: { log } }), 400, quote);
      }

      async function mustShowNothing(driver: Driver, status: number, quote: Quote, code?: string): Promise<void> {
        const tokens = new Set<string>();
        party.between.meet((asked) => {
          const token = String(asked.headers.authorization ?? '').replace(/^\S+ /, '');
          if (token !== '') tokens.add(token);
          return asked.body.includes('AssumeRole') ? echoXml(status, quote, code) : echo(status, quote, code);
        });
        const item = party.item(value);
        const shown = [
          await failureOf(() => driver.put(item, calm)),
          await failureOf(() => driver.put({ ...item, mode: 'update' }, calm)),
          await failureOf(() => driver.remove(item, calm)),
          await failureOf(() => driver.check(item.name, calm)),
          await failureOf(async () => driver.list?.({ prefix: item.name, after: null }, calm)),
          ...(await manyOf(driver, [item, party.item('another value')])),
        ];
        party.between.meet(() => undefined);
        const secrets = [value, password, ...credentials(), ...tokens];
        expect(leaksOf([shown, lines], secrets)).toEqual([]);
        const text = inspect([shown, lines], { depth: 9, maxStringLength: null });
        expect(partsIn(text, [password, ...credentials()])).toEqual([]);
        lines.length = 0;
      }
    });
  });

  test('is quoted where its text helps and contains no secret', async () => {
    const said = 'The administrator of this account has not allowed it: ask for ticket 4711';
    party.between.meet((asked) => (isCall(asked) ? echo(403, () => said, documented) : undefined));
    const failure = await failureOf(() => party.open(undefined, { exit: { log } }).put(party.item(password), calm));
    expect(failure).toBeInstanceOf(DestinationFailure);
    expect(String(failure).includes(said)).toBe(quoted);
  });
});

/** The failure of a verb, or the result of a look. */
const failureOf = (verb: () => Promise<unknown>): Promise<unknown> => verb().catch((error: unknown) => error);

async function manyOf(driver: Driver, items: readonly Parameters<Driver['put']>[0][]): Promise<readonly unknown[]> {
  const outcomes = await driver.putMany?.(items, calm).catch((error: unknown) => [error]);
  return outcomes ?? [];
}

/** The secret members of a key file. */
function partsOf(credential: string): readonly string[] {
  if (!credential.startsWith('{')) return [credential];
  const { private_key, private_key_id } = JSON.parse(credential);
  return [private_key, private_key_id].filter((part): part is string => typeof part === 'string');
}

/** The secrets of which the text contains a part, plain or in base64. */
function partsIn(text: string, secrets: readonly string[]): readonly string[] {
  const forms = secrets.flatMap((secret) => [
    secret.replace(/-----[A-Z ]+-----/g, ''),
    ...[0, 1, 2].map((offset) => Buffer.from(secret).subarray(offset).toString('base64')),
  ]);
  return forms.filter((form) =>
    Array.from({ length: Math.max(0, Math.min(form.length, 400) - partLength) }, (_, at) =>
      form.slice(at, at + partLength),
    ).some((part) => text.includes(part)),
  );
}
