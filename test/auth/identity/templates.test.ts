import { describe, expect, test } from 'vitest';
import type { TemplateSubject } from '#auth/identity/oidc/template/parameter.ts';
import { parseTemplate, plainTemplate } from '#auth/identity/oidc/template/template.ts';

const subject: TemplateSubject = {
  entity: {
    id: 'e-1',
    name: 'ada',
    metadata: { team: 'a', '"},{"': '","sub":"root' },
    aliases: new Map([['acc', { id: 'al-1', name: 'ada@a', metadata: { m: '1' }, customMetadata: { c: '2' } }]]),
  },
  groups: [
    { id: 'g-1', name: 'one', metadata: {} },
    { id: 'g-2', name: 'two', metadata: {} },
  ],
  now: 1_000,
};
const claims = (value: string) => parseTemplate(`{"claim": ${value}}`)(subject)['claim'];

describe('a parameter', () => {
  test.each([
    ['identity.entity.id', 'e-1'],
    ['identity.entity.name', 'ada'],
    ['identity.entity.metadata', { team: 'a', '"},{"': '","sub":"root' }],
    ['identity.entity.metadata.team', 'a'],
    ['identity.entity.metadata.none', ''],
    ['identity.entity.metadata.constructor', ''],
    ['identity.entity.groups.ids', ['g-1', 'g-2']],
    ['identity.entity.groups.names', ['one', 'two']],
    ['identity.entity.aliases.acc.id', 'al-1'],
    ['identity.entity.aliases.acc.name', 'ada@a'],
    ['identity.entity.aliases.acc.metadata', { m: '1' }],
    ['identity.entity.aliases.acc.metadata.m', '1'],
    ['identity.entity.aliases.acc.custom_metadata', { c: '2' }],
    ['identity.entity.aliases.acc.custom_metadata.c', '2'],
    ['identity.entity.aliases.none.name', ''],
    ['identity.entity.aliases.none.metadata', {}],
    ['time.now', 1_000],
    ['time.now.plus.1h30m', 6_400],
    ['time.now.minus.10s', 990],
    ['time.now.plus.5', 1_005],
  ])('%s stands for %j', (name, value) => {
    expect(claims(`{{${name}}}`)).toEqual(value);
    expect(claims(`[{"deep": {{  ${name} }}}]`)).toEqual([{ deep: value }]);
  });

  test.each([
    '',
    'identity',
    'identity.entity.',
    'identity.entity.token',
    'identity.entity.aliases.acc',
    'identity.entity.aliases.acc.x',
    'identity.entity.metadata.',
    'time.later',
    'time.now.plus.',
    'time.now.plus.1y',
    'identity.groups.names.one.id',
  ])('%j is unknown', (name) => {
    expect(() => claims(`{{${name}}}`)).toThrow('unknown parameter');
  });
});

describe('a template', () => {
  test.each([
    '[]',
    'null',
    '"text"',
    '{',
    '{{identity.entity.metadata}}x',
    '{"a": "{{identity.entity.name}}"}',
    '{"a": "x{{identity.entity.metadata}}"}',
    '{"a": {{identity.entity.name}',
    '{"a": 1{{time.now}}}',
    '{"a": {{{identity.entity.name}}}}',
  ])('%j is refused', (text) => {
    expect(() => parseTemplate(text)).toThrow(/error parsing template/);
  });

  test('does not use a parameter as a key, nor as the whole', () => {
    expect(() => parseTemplate('{ {{identity.entity.name}}: 1 }')).toThrow('cannot be a key');
    expect(() => parseTemplate('{{identity.entity.metadata}}')).toThrow('not an object');
  });

  test.each(['iat', 'aud', 'exp', 'iss', 'sub', 'namespace', 'nonce', 'auth_time', 'at_hash', 'c_hash'])(
    'does not set the claim %s',
    (claim) => {
      expect(() => parseTemplate(`{"${claim}": 1}`)).toThrow(`top level key "${claim}" not allowed`);
      expect(parseTemplate(`{"a": {"${claim}": 1}}`)(subject)).toEqual({ a: { [claim]: 1 } });
    },
  );

  test('keeps the digits of numbers and any key', () => {
    expect(JSON.stringify(parseTemplate('{"n": 12345678901234567890, "f": 1.0, "__proto__": {"x": 1}}')(subject))).toBe(
      '{"n":12345678901234567890,"f":1.0,"__proto__":{"x":1}}',
    );
  });

  test('has bounds', () => {
    expect(() => parseTemplate(`{"a": ${'['.repeat(20)}${']'.repeat(20)}}`)).toThrow('at most 16 levels');
    expect(() => parseTemplate(`{"a": ${'['.repeat(8_000)}${']'.repeat(8_000)}}`)).toThrow('at most 16 levels');
    expect(() => parseTemplate(`{"a": [${Array(257).fill('{{time.now}}').join()}]}`)).toThrow('at most 256 parameters');
  });

  test('without text has no claims, and may be in base64', () => {
    expect(parseTemplate('')(subject)).toEqual({});
    const text = '{"a": {{time.now}}}';
    expect(plainTemplate(Buffer.from(text).toString('base64'))).toBe(text);
    expect(plainTemplate(text)).toBe(text);
  });
});
