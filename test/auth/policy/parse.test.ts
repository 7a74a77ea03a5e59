import { describe, expect, test } from 'vitest';
import { parsePolicy } from '#auth/policy/parse.ts';

const rule = (text: string) => parsePolicy(text).rules[0];
const patterns = (text: string) => parsePolicy(text).rules.map(({ pattern }) => pattern);

describe('a policy', () => {
  test('is read from HCL', () => {
    const text = `
      # people of the web team
      name = "web"
      path "secret/data/web/*" { capabilities = ["create", "read",] } // trailing comma
      /* listings */ path "/secret/metadata/web/*" {
        capabilities = ["list"]
        comment = "leading slash is left out"
      }`;
    expect(patterns(text)).toEqual(['secret/data/web/*', 'secret/metadata/web/*']);
    expect(rule(text)?.capabilities).toEqual(new Set(['create', 'read']));
  });

  test.each([
    ['an object by patterns', '{"path": {"a/*": {"capabilities": ["read"]}, "b": {"capabilities": ["list"]}}}'],
    ['a list of objects', '{"path": [{"a/*": {"capabilities": ["read"]}}, {"b": {"capabilities": ["list"]}}]}'],
    ['an object in HCL', 'path = { "a/*" = { capabilities = ["read"] }, b = { capabilities = ["list"] } }'],
  ])('is read from JSON and similar forms: %s', (_, text) => {
    expect(patterns(text)).toEqual(['a/*', 'b']);
    expect(rule(text)?.capabilities).toEqual(new Set(['read']));
  });

  test('may be empty', () => {
    expect(parsePolicy('')).toEqual({ rules: [], templated: false });
    expect(parsePolicy('# nothing\n{}').rules).toEqual([]);
  });

  test('is templated when a pattern contains an expression', () => {
    expect(parsePolicy('path "a/{{identity.entity.id}}" {}').templated).toBe(true);
    expect(parsePolicy('path "a/b" {}').templated).toBe(false);
  });
});

describe('a rule', () => {
  test.each([
    ['deny', ['deny']],
    ['read', ['read', 'list']],
    ['write', ['create', 'read', 'update', 'delete', 'list']],
    ['sudo', ['create', 'read', 'update', 'delete', 'list', 'sudo']],
  ])('may have the former policy %s, which adds to its capabilities', (name, expected) => {
    expect(rule(`path "a" { policy = "${name}" }`)?.capabilities).toEqual(new Set(expected));
    expect(rule(`path "a" { capabilities = ["patch"] policy = "${name}" }`)?.capabilities).toEqual(
      new Set(['patch', ...expected]),
    );
  });

  test('has parameters, wrapping limits and MFA methods', () => {
    const text = `path "a" {
      capabilities        = ["update"]
      allowed_parameters  = { "Kind" = ["a", 1, true, ["x"]], "*" = [] }
      denied_parameters   { secret = [] }
      required_parameters = ["Kind"]
      min_wrapping_ttl    = "90s"
      max_wrapping_ttl    = 3600
      mfa_methods         = ["totp"]
    }`;
    expect(rule(text)).toEqual({
      pattern: 'a',
      at: 9,
      capabilities: new Set(['update']),
      allowedParameters: new Map<string, unknown>([
        ['kind', ['a', 1, true, ['x']]],
        ['*', []],
      ]),
      deniedParameters: new Map([['secret', []]]),
      requiredParameters: new Set(['kind']),
      wrappingSecondsMin: 90,
      wrappingSecondsMax: 3600,
      mfaMethods: ['totp'],
    });
  });

  test('accepts strings with escapes and tabs, and texts over several lines', () => {
    expect(patterns('path "a\\"b\\u0041\t" {}')).toEqual(['a"bA\t']);
    expect(rule('path "a" { comment = <<-END\n  one\n  two\n  END\n capabilities = ["read"] }')?.capabilities).toEqual(
      new Set(['read']),
    );
  });
});

describe('a mistake is reported with its position:', () => {
  test.each([
    ['path "a" { capabilities = ["raed"] }', 'line 1, column 27: path "a": invalid capability "raed"'],
    ['path "a" {\n  capability = ["read"]\n}', 'line 2, column 3: path "a": invalid key "capability"'],
    ['path "a" { control_groups = {} }', 'line 1, column 12: path "a": invalid key "control_groups"'],
    ['path "a/+*" {}', 'line 1, column 13: path "a/+*": invalid use of wildcards ("+*" is forbidden)'],
    ['path "" {}', 'line 1, column 9: the path is empty'],
    ['rule "a" {}', 'line 1, column 1: invalid key "rule": expected "path" or "name"'],
    ['path "a" "b" {}', 'line 1, column 14: a path has a single pattern'],
    ['path "a" { policy = "all" }', 'line 1, column 21: path "a": invalid policy "all"'],
    ['path "a" { policy = "read"\n policy = "read" }', 'line 2, column 2: path "a": the key "policy" occurs twice'],
    ['path "a" { capabilities = "read" }', 'line 1, column 27: path "a": expected a list of strings'],
    [
      'path "a" { min_wrapping_ttl = "soon" }',
      'line 1, column 31: path "a": expected a duration: seconds, or a text such as "30s" or "1h"',
    ],
    ['path "a" { min_wrapping_ttl = [] }', 'line 1, column 31: path "a": expected a duration'],
    ['path "a" { allowed_parameters = { b = "c" } }', 'line 1, column 39: path "a": expected a list of values for "b"'],
    ['path "a" {', 'line 1, column 11: expected a name, found the end of the text'],
    ['path "a', 'line 1, column 6: the string is not closed'],
    ['path "\\q" {}', 'line 1, column 6: the string has an unknown escape'],
    ['path "a" { /* }', 'line 1, column 12: the comment is not closed'],
    ['path "a" { comment = <<X\nfoo }', 'line 1, column 22: the text after "<<X" is not closed'],
    ['path "a" { comment = << }', 'line 1, column 22: "<<" without a name'],
    ['path "a" = ', 'line 1, column 12: expected a value, found the end of the text'],
    ['path "a" [] ', 'line 1, column 10: expected "=" or "{", found "["'],
    ['path "a" { capabilities = ["read" "list"] }', 'line 1, column 35: expected "," or "]", found "list"'],
    ['%', 'line 1, column 1: unexpected character "%"'],
    ['{"path": {}} x', 'line 1, column 14: expected the end of the text, found "x"'],
    [`path "a" { comment = ${'['.repeat(17)}`, 'line 1, column 38: nested deeper than 16 levels'],
  ])('%s', (text, problem) => {
    expect(() => parsePolicy(text)).toThrow(`failed to parse policy: ${problem}`);
  });

  test('a text that is too long, or too many rules', () => {
    expect(() => parsePolicy(' '.repeat(1_048_577))).toThrow('longer than 1048576 characters');
    expect(() => parsePolicy('path "a" {}\n'.repeat(10_001))).toThrow('more than 10000 paths');
  });
});
