import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { realTable } from '#infra/generate/rows.ts';
import type { Verb } from '#path/contract/request.ts';
import type { Operation } from '#path/contract/row.ts';
import { bodies } from '../../path/any-json.ts';
import { serviceOf } from '../../support/flow/open-service.ts';
import { fuzzing, runs } from '../../support/fuzz.ts';

const service = serviceOf(['cloud-a-sm'], { KEYFERRY_SYNC_WAIT_MS: '0' });
beforeAll(async () => {
  await service.api.write('sys/mounts/plain', { type: 'kv', options: { version: '1' } });
  await service.api.write('sys/sync/destinations/cloud-a-sm/place', service.fake('cloud-a-sm').destination);
  await service.secret({ v: 1 }, 'app');
});

const methods = { read: 'GET', list: 'LIST', write: 'POST', patch: 'PATCH', delete: 'DELETE' } satisfies Record<
  Verb,
  string
>;
const mounts: Readonly<Record<string, string>> = {
  sys: 'sys',
  'auth/token': 'auth/token',
  'kv version 1': 'plain',
  'kv version 2': 'secret',
};
/** Operations that would end the service or the token for the requests that follow. */
const excluded = /^sys\/(seal|init|unseal|rotate|rekey.*|step-down|remount|mounts\/.*)$|revoke/;

const operations = Object.entries(realTable).flatMap(([mount, rows]) =>
  rows.flatMap(({ pattern, operations: all }) => {
    const path = `${mounts[mount]}/${pattern}`;
    if (excluded.test(path)) return [];
    return Object.entries(all).map(([verb, operation]) => ({ path, verb: verb as Verb, operation }));
  }),
);

const segment = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('place', 'app', 'cloud-a-sm', 'aws-sm', 'secret', 'kv') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '__proto__',
      '%00',
      '%ed%a0%80',
      '%F0%9F%98%80',
      'a b',
      '..',
      '%2e%2e',
      '%',
      'x'.repeat(3_000),
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }).map(encoded) },
);

function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

const request = fc.constantFrom(...operations).chain(({ path, verb, operation }) =>
  fc.record({
    method: fc.constant(methods[verb]),
    path: fc.array(segment, { minLength: 4, maxLength: 4 }).map((names) => {
      let next = 0;
      return path.replace(/[:*]\w+/g, () => names[next++] ?? 'app');
    }),
    body: bodyOf(verb, operation),
  }),
);

function bodyOf(verb: Verb, operation: Operation): fc.Arbitrary<string | undefined> {
  if (verb === 'read' || verb === 'list') return fc.constant(undefined);
  return fc.oneof(
    { weight: 2, arbitrary: bodies(operation) },
    { weight: 4, arbitrary: mostlyValidBody(operation) },
    { weight: 1, arbitrary: fc.json() },
  );
}

/** Mostly valid input, so that mistakes are found late. */
function mostlyValidBody({ fields }: Operation): fc.Arbitrary<string> {
  const value = fc.constantFrom<unknown>(
    ...[
      'app',
      'secret',
      'plain',
      'place',
      'root',
      '1h',
      '{{ .SecretPath }}',
      '{{ .SecretKey }}',
      'secret-key',
      'eu-west-1',
    ],
    ...[
      1,
      3,
      0,
      -1,
      true,
      false,
      null,
      2 ** 31,
      2 ** 53 - 1,
      '2',
      'a\0b',
      '\ud800',
      '😀'.repeat(600),
      'x'.repeat(70_000),
    ],
    ...[
      { v: 1 },
      { 'a\0': 'b' },
      { a: '\0' },
      { '\ud800': 'b' },
      { max_versions: 3 },
      { cas: 1 },
      {},
      [],
      ['a'],
      ['a\0', 'b'],
    ],
  );
  const given = Object.keys(fields).map((name) => [name, fc.option(value, { nil: undefined, freq: 2 })] as const);
  return fc.record(Object.fromEntries(given)).map((body) => JSON.stringify(body));
}

test('no request leads to an internal error', fuzzing, async () => {
  const property = fc.asyncProperty(request, async ({ method, path, body }) => {
    const answer = await service.ask(
      method,
      path,
      undefined,
      body === undefined ? {} : { raw: body, headers: typeOf(method) },
    );
    const full = answer.status === 503 && answer.text.includes('the sync queue is full');
    expect(full || answer.status < 500, `${answer.status} ${answer.text}`).toBe(true);
    if (answer.status >= 400 && answer.status !== 404) expect(answer.text).toContain('errors');
  });
  await fc.assert(property, runs(400));
  const unexpected = service.logged.filter((line) => JSON.stringify(line).includes('unexpectedly'));
  expect(unexpected).toEqual([]);
});

const typeOf = (method: string) => ({
  'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
});
