import { describe, expect, test } from 'vitest';
import { parsePasswordPolicy } from '#auth/password-policy/parse.ts';
import { generatePassword } from '#auth/password-policy/rows.ts';

const rule = (charset: string, least: number) => `rule "charset" { charset = "${charset}" min-chars = ${least} }`;

describe('a password policy', () => {
  test('is read from HCL and from JSON', () => {
    const expected = {
      length: 20,
      rules: [
        { charset: ['a', 'b', 'c'], charactersMin: 1 },
        { charset: ['1', '2'], charactersMin: 0 },
      ],
    };
    const hcl =
      'length = 20\nrule "charset" {\n  charset = "abca"\n  min-chars = 1\n}\nrule "charset" { charset = "12" }';
    const json =
      '{"length": 20, "rule": [{"charset": {"charset": "abc", "min-chars": 1}}, {"charset": [{"charset": "12"}]}]}';
    expect(parsePasswordPolicy(hcl)).toEqual(expected);
    expect(parsePasswordPolicy(json)).toEqual(expected);
  });

  test.each([
    ['', '"length" is a number from 4 to 100'],
    ['length = 20', 'there is no rule "charset"'],
    [`length = 3 ${rule('a', 0)}`, 'from 4 to 100'],
    [`length = 101 ${rule('a', 0)}`, 'from 4 to 100'],
    [`length = 1.5 ${rule('a', 0)}`, 'line 1, column 10: expected a whole number'],
    [`length = "20" ${rule('a', 0)}`, 'expected a whole number'],
    [`length = 20 length = 21 ${rule('a', 0)}`, 'expected "length" once'],
    [`length = 20 ${rule('a', 21)}`, 'the rules want 21 characters, and the length is 20'],
    [`length = 20 ${rule('a', 11)} ${rule('b', 10)}`, 'the rules want 21 characters'],
    [`length = 20 ${rule('a', -1)}`, 'not negative'],
    [`length = 20 ${rule('', 1)}`, 'at least one character'],
    ['length = 20 rule "charset" { charset = "a\\tb" }', 'printable characters only'],
    ['length = 20 rule "charset" { charset = 5 }', 'expected a string'],
    ['length = 20 rule "other" { charset = "a" }', 'the only kind of rule is "charset"'],
    ['length = 20 rule "charset" "b" { charset = "a" }', 'the only kind of rule is "charset"'],
    ['length = 20 rule = 5', 'expected the block of a rule'],
    ['length = 20 rule "charset" { charset = "a" most = 1 }', 'unexpected "most"'],
    ['width = 20', 'unexpected "width"'],
    ['length', 'line 1, column 7'],
    [`length = 20 ${rule('a', 0).repeat(101)}`, 'more than 100 rules'],
  ])('%s is refused', (text, problem) => {
    expect(() => parsePasswordPolicy(text)).toThrow('failed to parse password policy: line 1, column ');
    expect(() => parsePasswordPolicy(text)).toThrow(problem);
  });
});

describe('a password', () => {
  test('has the length and enough characters of each charset', () => {
    const policy = parsePasswordPolicy(
      `length = 12 ${rule('abcdefghij', 3)} ${rule('0123456789', 2)} ${rule('é€😀', 1)}`,
    );
    for (let count = 0; count < 500; count += 1) {
      const password = [...(generatePassword(policy, 10_000) ?? '')];
      expect(password).toHaveLength(12);
      const of = (charset: string) => password.filter((one) => charset.includes(one)).length;
      expect(of('abcdefghij')).toBeGreaterThanOrEqual(3);
      expect(of('0123456789')).toBeGreaterThanOrEqual(2);
      expect(of('é€😀')).toBeGreaterThanOrEqual(1);
    }
  });

  test('is equally likely to be any password that the rules allow', () => {
    const policy = parsePasswordPolicy(`length = 4 ${rule('a', 1)} ${rule('b', 1)}`);
    const counts = new Map<string, number>();
    for (let count = 0; count < 14_000; count += 1) {
      const password = generatePassword(policy, 1_000) ?? '';
      counts.set(password, (counts.get(password) ?? 0) + 1);
    }
    expect(counts.size).toBe(14);
    // The standard deviation is 30.
    for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(240);
  });

  test('is searched for in a limited number of attempts', () => {
    const policy = parsePasswordPolicy(`length = 100 ${rule('a', 100)} ${rule('bcdefghijk', 0)}`);
    expect(generatePassword(policy, 1_000)).toBeUndefined();
  });
});
