import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Need } from '#auth/contract.ts';
import { compileAcl } from '#auth/policy/acl.ts';
import { decide } from '#auth/policy/decide.ts';
import { parsePolicy } from '#auth/policy/parse.ts';
import { parseJson } from '#core/json/json.ts';
import { LongText } from '#core/json/long-text.ts';
import { type Operation, operation } from '#path/contract/row.ts';
import { bool, duration, foldedList, integer, text, textList, textMap } from '#path/fields.ts';
import { parametersOf } from '#path/input/parameters.ts';
import { inputReader } from '#path/input/parse.ts';
import { methodTypeNames } from '#path/vocabulary.ts';
import { fuzzing, runs } from '../../support/fuzz.ts';

const role = operation(
  {
    token_policies: foldedList().optional(),
    policies: foldedList().optional().meta({ formerNameOf: 'token_policies' }),
    names: textList().optional(),
    orchestrator_host: text().optional(),
    about: text().optional(),
    ttl: duration().optional(),
    uses: integer().optional(),
    open: bool().optional(),
    tags: textMap().optional(),
  },
  { summary: 'Write a role', run: async () => undefined },
);
const anything = operation({}, { summary: 'Write', anyFields: true, run: async () => undefined });

const of = (rules: string) =>
  compileAcl(parsePolicy(`path "a" { capabilities = ["update", "list"] ${rules} }`).rules, methodTypeNames);

function why(
  rules: string,
  data: object,
  { by = role, ...change }: Partial<Need> & { by?: Operation | undefined } = {},
) {
  const sent = { ...data };
  const need: Need = {
    capability: 'update',
    path: 'a',
    sudo: false,
    wrapSeconds: undefined,
    parameters: () => parametersOf(by, sent),
    ...change,
  };
  const decision = decide(of(rules), need);
  return decision.allowed ? 'allowed' : decision.why.replace('the parameter ', '');
}

describe('a grant with rules for parameters', () => {
  test.each<[string, object, string]>([
    ['required_parameters = ["a"]', { b: 1 }, '"a" is required'],
    ['required_parameters = ["A"]', { a: 1 }, 'allowed'],
    ['allowed_parameters = { a = ["x*"] }', { a: 'xyz' }, 'allowed'],
    ['allowed_parameters = { a = ["*x"] }', { a: 'yyx' }, 'allowed'],
    ['allowed_parameters = { a = ["*x*"] }', { a: 'yxz' }, 'allowed'],
    ['allowed_parameters = { a = ["x"] }', { a: 'xyz' }, '"a" is not allowed'],
    ['allowed_parameters = { a = [1, true] }', { a: true }, 'allowed'],
    ['allowed_parameters = { a = [1] }', { a: '1' }, '"a" is not allowed'],
    ['allowed_parameters = { a = [["x", "y"]] }', { a: ['x', 'y'] }, 'allowed'],
    ['allowed_parameters = { a = [["x", "y"]] }', { a: ['x'] }, '"a" is not allowed'],
    ['allowed_parameters = { a = [] }', { a: { any: 'thing' } }, 'allowed'],
    ['allowed_parameters = { a = ["*"] }', { a: { any: 'thing' } }, '"a" is not allowed'],
    ['allowed_parameters = { a = [] }', { b: 1 }, '"b" is not allowed'],
    ['allowed_parameters = { a = ["x"], "*" = [] }', { b: 1 }, 'allowed'],
    ['allowed_parameters = { a = ["x"], "*" = [] }', { a: 'y' }, '"a" is not allowed'],
    ['allowed_parameters = { a = [] }', {}, 'allowed'],
    ['denied_parameters = { a = [] }', { a: 1 }, '"a" is denied'],
    ['denied_parameters = { a = ["x"] }', { a: 'y' }, 'allowed'],
    ['denied_parameters = { "*" = [] }', { z: 1 }, '"z" is denied'],
    ['denied_parameters = { a = [] } allowed_parameters = { a = [] }', { a: 1 }, '"a" is denied'],
  ])('%s with %j: %s', (rules, data, expected) => {
    expect(why(rules, data, { by: undefined })).toBe(expected);
  });

  test('ignores the parameters of a listing', () => {
    expect(why('denied_parameters = { "*" = [] }', { list: true }, { capability: 'list' })).toBe('allowed');
  });
});

describe('values', () => {
  const denied = (name: string) =>
    `denied_parameters = { ${name} = ["admin*", 7, true, "1h", "role=admin", ["c", "d"]] }`;
  test.each<[string, unknown, boolean]>([
    ['names', ['admin'], true],
    ['names', 'x,admin', true],
    ['names', 'x, admin-2', true],
    ['names', ['x', 'admin'], true],
    ['names', ['x', 'y'], false],
    ['names', [], false],
    ['names', '', false],
    ['names', ['c', 'd'], true],
    ['names', 'c,d', true],
    ['names', ['d', 'c'], false],
    ['token_policies', ['ADMIN'], true],
    ['token_policies', ' Admin ', true],
    ['policies', 'x,Admin', true],
    ['about', 'x,admin', true],
    ['about', ['x', 'admin'], true],
    ['unknown', 'x,admin', true],
    ['uses', '7', true],
    ['uses', 7, true],
    ['uses', 8, false],
    ['open', 'TRUE', true],
    ['open', 1, true],
    ['open', false, false],
    ['ttl', '60m', true],
    ['ttl', 3_600, true],
    ['ttl', '1h', true],
    ['ttl', '2h', false],
    ['tags', { role: 'admin' }, true],
    ['tags', ['role=admin'], true],
    ['tags', 'a=b,role=admin', true],
    ['tags', { role: 'dev' }, false],
    ['about', null, false],
  ])('of a denial, %s as %j: %s', (name, value, expected) => {
    expect(why(denied(name), { [name]: value })).toBe(expected ? `"${name}" is denied` : 'allowed');
  });

  const allowed = (name: string) =>
    `allowed_parameters = { ${name} = ["dev", "dev-*", 7, false, "1h", "team=*", "p,q"] }`;
  test.each<[string, unknown, boolean]>([
    ['names', ['dev'], true],
    ['names', ['dev', 'dev-1'], true],
    ['names', 'dev,dev-1', true],
    ['names', 'dev-1,admin', false],
    ['names', ['dev', 'admin'], false],
    ['names', [], true],
    ['names', 'p,q', true],
    ['names', ['p', 'q'], false],
    ['names', ['7'], true],
    ['token_policies', ['DEV'], true],
    ['about', 'dev', true],
    ['about', 'dev,dev-1', false],
    ['about', '', false],
    ['about', null, false],
    ['uses', '7', true],
    ['uses', 8, false],
    ['open', 'false', true],
    ['open', true, false],
    ['ttl', '60m', true],
    ['ttl', 60, false],
    ['tags', ['team=a'], true],
    ['tags', 'team=a,role=admin', false],
    ['tags', { team: 'a' }, false],
    ['tags', '{"team":"a"}', false],
  ])('of a permission, %s as %j: %s', (name, value, expected) => {
    expect(why(allowed(name), { [name]: value })).toBe(expected ? 'allowed' : `"${name}" is not allowed`);
  });

  test('numbers compare by value, whatever their notation', () => {
    const sent = parseJson('{"uses":7.0}') as object;
    expect(why(denied('uses'), sent)).toBe('"uses" is denied');
    expect(why(denied('uses'), sent, { by: anything })).toBe('"uses" is denied');
  });

  test('a long text in pieces is checked like a plain text', () => {
    const long = new LongText([Buffer.from('adm'), Buffer.from(`in${'x'.repeat(5_000)}`)]);
    expect(why(denied('about'), { about: long }, { by: anything })).toBe('"about" is denied');
  });
});

describe('names', () => {
  test.each<[string, object, string]>([
    ['denied_parameters = { token_policies = ["p-*"] }', { TOKEN_POLICIES: 'p-admin' }, '"token_policies" is denied'],
    ['denied_parameters = { orchestrator_host = [] }', { kubernetes_host: 'h' }, '"orchestrator_host" is denied'],
    ['denied_parameters = { kubernetes_host = [] }', { orchestrator_host: 'h' }, '"orchestrator_host" is denied'],
    ['denied_parameters = { token_policies = ["p-*"] }', { policies: 'p-admin' }, '"policies" is denied'],
    ['denied_parameters = { policies = ["p-*"] }', { token_policies: 'p-admin' }, '"token_policies" is denied'],
    ['allowed_parameters = { token_policies = ["safe"] }', { policies: 'safe' }, 'allowed'],
    ['allowed_parameters = { token_policies = ["safe"], "*" = [] }', { policies: 'x' }, '"policies" is not allowed'],
    [
      'allowed_parameters = { token_policies = ["safe"] }',
      { token_policies: 'p-admin', TOKEN_POLICIES: 'safe' },
      '"token_policies" is not allowed',
    ],
    ['required_parameters = ["token_policies"]', { TOKEN_POLICIES: 'safe' }, '"token_policies" is required'],
    ['required_parameters = ["token_policies"]', { token_policies: null }, '"token_policies" is required'],
    ['required_parameters = ["token_policies"]', { policies: 'safe' }, 'allowed'],
    ['required_parameters = ["kubernetes_host"]', { orchestrator_host: 'h' }, 'allowed'],
    ['required_parameters = ["orchestrator_host"]', { kubernetes_host: 'h' }, 'allowed'],
  ])('%s with %j: %s', (rules, data, expected) => {
    expect(why(rules, data)).toBe(expected);
  });

  test('an operation with arbitrary fields has each field checked, in any case', () => {
    const rules = 'allowed_parameters = { key = ["safe"] } required_parameters = ["key"]';
    expect(why(rules, { key: 'safe', KEY: 'other' }, { by: anything })).toBe('"key" is not allowed');
    expect(why(rules, { Key: 'safe' }, { by: anything })).toBe('allowed');
  });
});

test('the operation reads no unchecked value, whatever the spelling of names', fuzzing, () => {
  const read = inputReader(role);
  const name = fc.constantFrom(
    ...['token_policies', 'policies', 'names', 'orchestrator_host', 'kubernetes_host', 'about', 'ttl', 'uses', 'open'],
    ...['TOKEN_POLICIES', 'Policies', 'Kubernetes_Host', 'ORCHESTRATOR_HOST', 'Names', 'TTL', 'Open', 'tags', 'Tags'],
  );
  const word = fc.constantFrom(
    'bad',
    'BAD',
    ' bad-1',
    'safe',
    'safe-1',
    'SAFE',
    '',
    '1h',
    '60m',
    '3600',
    '60',
    'true',
    '1',
  );
  const scalar = fc.oneof(word, fc.constantFrom(3600, 60, 1, 0, true, false, null));
  const value = fc.oneof(
    scalar,
    fc.array(word, { maxLength: 3 }),
    fc.array(word, { maxLength: 3 }).map((words) => words.join(',')),
    fc.dictionary(fc.constantFrom('role', 'team'), word),
    fc.constantFrom('role=bad', 'role=safe', 'team=a,role=bad'),
  );
  const denies = `denied_parameters = { token_policies = ["bad*"] names = ["bad*"] orchestrator_host = ["bad*"]
    about = ["bad"] ttl = ["1h"] uses = ["60"] open = [true] tags = ["role=bad"] }`;
  const allows = `allowed_parameters = { policies = ["safe*"] names = ["safe*"] kubernetes_host = ["safe*"] about = ["safe"] ttl = ["1h"]
    uses = ["60"] open = [true] tags = ["team=a"] }`;
  fc.assert(
    fc.property(fc.dictionary(name, value, { maxKeys: 4 }), (data) => {
      const parsed = read({ parameters: {}, data });
      if (!parsed.ok) return;
      if (why(denies, data) === 'allowed')
        expect(seen(parsed.input)).not.toContainEqual(expect.stringMatching(forbidden));
      if (why(allows, data) === 'allowed') for (const one of seen(parsed.input)) expect(one).toMatch(permitted);
    }),
    runs(3_000),
  );
});

const forbidden =
  /^(token_policies|policies|names|orchestrator_host) bad|^about bad$|^ttl 3600$|^uses 60$|^open true$|^tags role=bad$/;
const permitted =
  /^(token_policies|policies|names|orchestrator_host) safe|^about safe$|^ttl 3600$|^uses 60$|^open true$|^tags team=a$/;

/** The values that an operation reads, one line each. */
const seen = (input: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.entries(input).flatMap(([name, value]) => {
    if (Array.isArray(value)) return value.map((one) => `${name} ${one}`);
    if (typeof value !== 'object' || value === null) return [`${name} ${value}`];
    return Object.entries(value).map(([key, one]) => `${name} ${key}=${one}`);
  });
