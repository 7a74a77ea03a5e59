import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileAcl } from '#auth/policy/acl.ts';
import { parsePolicy } from '#auth/policy/parse.ts';
import { methodTypeNames } from '#path/vocabulary.ts';
import { fuzzing, runs } from '../../support/fuzz.ts';

/** An ACL whose rules allow one parameter each, named after the pattern, which identifies the matching rule. */
function aclOf(...patterns: readonly string[]) {
  const text = patterns.map((pattern) => `path "${pattern}" { mfa_methods = ["${pattern}"] }`).join('\n');
  const acl = compileAcl(parsePolicy(text).rules, methodTypeNames);
  return (path: string, list = false) => acl.find(path, list)?.mfaMethods[0];
}

describe('the rule that decides about a path', () => {
  test.each([
    ['an exact one before all others', ['a/b', 'a/b*', 'a/+', '+/b'], 'a/b', 'a/b'],
    ['the longest prefix', ['*', 'a/*', 'a/b*'], 'a/bc', 'a/b*'],
    ['the one whose first wildcard comes later', ['+/b/c', 'a/*'], 'a/b/c', 'a/*'],
    ['the one whose first wildcard comes later, segment or not', ['a/+/c', 'a/b*'], 'a/b/c', 'a/b*'],
    ['without a glob at the end before one with', ['a/+/c', 'a/+/*'], 'a/b/c', 'a/+/c'],
    ['fewer segment wildcards', ['a/+/+/d', 'a/+/c/d'], 'a/b/c/d', 'a/+/c/d'],
    ['the longer one', ['a/+/c*', 'a/+/cd*'], 'a/b/cde', 'a/+/cd*'],
    ['the greater one', ['+/b/+/d', '+/+/c/d'], 'a/b/c/d', '+/b/+/d'],
    ['a segment wildcard stands for one segment', ['a/+'], 'a/b/c', undefined],
    ['a segment wildcard stands for a whole segment', ['a/+b'], 'a/cb', undefined],
    ['a glob takes the rest', ['a/+/c*'], 'a/b/cd/e/f', 'a/+/c*'],
    ['a star inside is a star', ['a*/b'], 'axx/b', undefined],
    ['a star inside is itself', ['a*/b'], 'a*/b', 'a*/b'],
    ['a prefix matches itself', ['a/*'], 'a/', 'a/*'],
    ['a prefix matches nothing shorter', ['a/*'], 'a', undefined],
    ['everything', ['*'], 'x/y', '*'],
  ])('%s', (_, patterns, path, expected) => {
    expect(aclOf(...patterns)(path)).toBe(expected);
    expect(aclOf(...patterns.toReversed())(path)).toBe(expected);
  });

  test('an exact path with the slash of the listing takes precedence over the one without', () => {
    expect(aclOf('a/b/', 'a/b')('a/b/', true)).toBe('a/b/');
    expect(aclOf('a/b', 'a/*')('a/b/', true)).toBe('a/b');
    expect(aclOf('a/+')('a/b/', true)).toBe('a/+');
    expect(aclOf('a/+')('a/b/', false)).toBe(undefined);
  });

  test.each([
    ['a prefix goes before a segment with a slash', ['kv1/a*', 'kv1/a/+'], 'kv1/a*'],
    ['a segment goes before a prefix with a slash', ['kv1/+', 'kv1/a/*'], 'kv1/+'],
    ['what matches the slash alone comes after all others', ['*', 'kv1/a/*'], '*'],
    ['what matches the slash alone counts where nothing else matches', ['kv2/*', 'kv1/a/*'], 'kv1/a/*'],
  ])('a listing matches patterns without its slash first: %s', (_, patterns, expected) => {
    expect(aclOf(...patterns)('kv1/a/', true)).toBe(expected);
  });
});

test('the index finds the same rule as a search of all rules', fuzzing, () => {
  const segment = fc.constantFrom('a', 'b', 'ab', '');
  const path = fc
    .tuple(fc.array(segment, { minLength: 1, maxLength: 4 }), fc.constantFrom('', '/'))
    .map(([parts, end]) => parts.join('/') + end);
  const pattern = fc
    .tuple(fc.array(fc.oneof(segment, fc.constant('+')), { minLength: 1, maxLength: 4 }), fc.constantFrom('', '*'))
    .map(([parts, end]) => parts.join('/') + end)
    .filter((text) => text !== '' && !text.startsWith('/') && !text.includes('+*'));
  fc.assert(
    fc.property(fc.uniqueArray(pattern, { maxLength: 12 }), path, fc.boolean(), (patterns, at, list) => {
      expect(aclOf(...patterns)(at, list)).toBe(searchAll(patterns, at, list));
    }),
    runs(1_000),
  );
});

function searchAll(patterns: readonly string[], path: string, list: boolean): string | undefined {
  const without = list && path.endsWith('/') ? path.slice(0, -1) : undefined;
  const exact = [path, without].find((one) => one !== undefined && patterns.some((p) => p === one && !hasWildcard(p)));
  if (exact !== undefined) return exact;
  const best = (at: string) =>
    patterns.filter((pattern) => hasWildcard(pattern) && toRegExp(pattern).test(at)).sort(byRank)[0];
  return (without === undefined ? undefined : best(without)) ?? best(path);
}

/** Implemented from the documentation, so that it does not repeat a mistake of the index. */
function byRank(a: string, b: string): number {
  const [left, right] = [rank(a), rank(b)];
  const differs = left.findIndex((one, index) => one !== right[index]);
  return differs < 0 ? (a > b ? -1 : 1) : (right[differs] ?? 0) - (left[differs] ?? 0);
}

/** A late first wildcard, no star at the end, few segment wildcards, a long text: the greater number takes precedence. */
function rank(pattern: string): readonly number[] {
  const parts = pattern.split('/');
  const at = parts.indexOf('+');
  const plus = at < 0 ? undefined : parts.slice(0, at).reduce((sum, part) => sum + part.length + 1, 0);
  const isGlob = pattern.endsWith('*');
  const first = Math.min(plus ?? Number.POSITIVE_INFINITY, isGlob ? pattern.length - 1 : Number.POSITIVE_INFINITY);
  return [first, isGlob ? 0 : 1, -parts.filter((part) => part === '+').length, pattern.length];
}

const hasWildcard = (pattern: string) => pattern.endsWith('*') || pattern.split('/').includes('+');

function toRegExp(pattern: string): RegExp {
  const body = pattern
    .replace(/\*$/, '')
    .split('/')
    .map((part) => (part === '+' ? '[^/]*' : part));
  return new RegExp(`^${body.join('/')}${pattern.endsWith('*') ? '' : '$'}`);
}

describe('whether a caller sees a mount', () => {
  const acl = compileAcl(
    parsePolicy(`
      path "secret/data/web/*" { capabilities = ["read"] }
      path "+/config" { capabilities = ["read"] }
      path "closed/*" { capabilities = ["deny"] }
      path "nothing/*" { }
      path "te*" { capabilities = ["list"] }`).rules,
    methodTypeNames,
  );
  test.each([
    ['secret/', true],
    ['secret/data/', true],
    ['secret/data/other/', false],
    ['anything/', true],
    ['anything/else/', false],
    ['team/kv/', true],
  ])('%s: %s', (prefix, expected) => {
    expect(acl.touches(prefix)).toBe(expected);
  });
});

describe('rules of one pattern in several policies', () => {
  const merged = (...texts: readonly string[]) =>
    compileAcl(
      texts.flatMap((text) => parsePolicy(`path "a" { ${text} }`).rules),
      methodTypeNames,
    ).find('a', false);

  test('add up, and deny wins', () => {
    expect(merged('capabilities = ["read"]', 'capabilities = ["list"]')?.capabilities).toEqual(
      new Set(['read', 'list']),
    );
    expect(merged('capabilities = ["read"]', 'policy = "deny"')?.capabilities).toEqual(new Set(['deny']));
  });

  test('have the parameters of both, and any value where one allows any', () => {
    const grant = merged(
      'allowed_parameters = { a = ["1"], b = ["2"] } required_parameters = ["a"]',
      'allowed_parameters = { a = ["3"], b = [] } required_parameters = ["b"]',
    );
    expect(grant?.allowedParameters).toEqual(
      new Map([
        ['a', ['1', '3']],
        ['b', []],
      ]),
    );
    expect(grant?.requiredParameters).toEqual(new Set(['a', 'b']));
  });

  test('have the lower wrapping limits', () => {
    expect(merged('min_wrapping_ttl = 10', 'min_wrapping_ttl = 5 max_wrapping_ttl = 60')).toMatchObject({
      wrappingSecondsMin: 5,
      wrappingSecondsMax: 60,
    });
  });
});
