import { describe, expect, test } from 'vitest';
import { countsOfApply } from '#agent/engine/counts.ts';
import { engineFor } from '#agent/engine/find.ts';
import { redactedPlan } from '#agent/engine/redact.ts';
import { newestMatching } from '#agent/engine/versions.ts';
import { hostsText } from '#agent/run/hosts.ts';
import { Mask } from '#core/log/mask.ts';

describe('the mask of a log', () => {
  test.each(Array.from({ length: 12 }, (_, at) => at))('finds a value that is cut after %i characters', (at) => {
    const mask = new Mask(['secret-value', 'ab']);
    const text = 'x secret-value y ab';
    expect(mask.take(text.slice(0, at)) + mask.take(text.slice(at)) + mask.end()).toBe('x *** y ab');
  });

  test('finds the lines of a value, its form in JSON, and a value of any length', () => {
    const long = 'z'.repeat(5_000);
    const mask = new Mask(['one line\nother line', 'quo"ted', long]);
    expect(mask.take(`other line | quo\\"ted | ${long} |`) + mask.end()).toBe('*** | *** | *** |');
  });

  // One value begins another, and two overlap.
  const values = ['abc', 'abcdef', 'xyz', 'zab'];
  test.each(Array.from({ length: 22 }, (_, at) => at))(
    'shows nothing of values that share characters, in a text that is cut after %i characters and everywhere',
    (at) => {
      const text = 'abcdef abcde xyzab zab!';
      const expected = '*** ***de *** ***!';
      const mask = new Mask(values);
      expect(mask.take(text.slice(0, at)) + mask.take(text.slice(at)) + mask.end()).toBe(expected);
      const each = new Mask(values);
      expect([...text].map((character) => each.take(character)).join('') + each.end()).toBe(expected);
    },
  );
});

test.each([
  ['latest', '1.11.4'],
  ['1.5.7', '1.5.7'],
  ['~> 1.5.0', '1.5.7'],
  ['~> 1.5', '1.11.4'],
  ['>= 1.5.0, < 1.6', '1.5.7'],
  ['!= 1.11.4', '1.5.7'],
  ['1.12.0-beta1', '1.12.0-beta1'],
  ['~> 2.0', undefined],
  ['nonsense', undefined],
])('the newest engine for %s', (wanted, expected) => {
  expect(newestMatching(wanted, ['1.5.6', '1.11.4', '1.5.7', '1.12.0-beta1'])).toBe(expected);
});

const engines = ['1.5.7/terraform', '1.9.0/terraform', '1.9.0/tofu', '1.10.2/tofu'].map((path) => ({
  program: `/engines/${path}`,
  version: path.split('/')[0] ?? '',
}));

test.each([
  ['latest', 'terraform', '1.9.0/terraform'],
  ['latest', 'tofu', '1.10.2/tofu'],
  ['1.9.0', 'tofu', '1.9.0/tofu'],
  ['< 1.9.0', 'tofu', '1.5.7/terraform'],
  ['>= 1.10.0', 'terraform', '1.10.2/tofu'],
] as const)('a workspace that needs %s has its engine from %s, if both can serve it', (wanted, preferred, expected) => {
  expect(engineFor(wanted, engines, preferred).program).toBe(`/engines/${expected}`);
});

test('a workspace that no engine can serve is told what the agent has, and terraform comes first', () => {
  expect(engineFor('1.9.0', engines.toReversed()).program).toBe('/engines/1.9.0/terraform');
  expect(() => engineFor('~> 2.0', engines)).toThrow(
    'The workspace needs the engine ~> 2.0. This agent has 1.5.7, 1.9.0, 1.10.2.',
  );
});

test('the numbers of an apply are read from its last words', () => {
  expect(countsOfApply('Apply complete! Resources: 2 imported, 3 added, 1 changed, 0 destroyed.')).toEqual({
    'resource-additions': 3,
    'resource-changes': 1,
    'resource-destructions': 0,
    'resource-imports': 2,
  });
  expect(countsOfApply('Error')).toEqual({});
});

describe('the configuration of hosts', () => {
  const hostsIn = (address: string, publicAddress: string | null) =>
    [...hostsText({ address, publicAddress, token: 't' }).matchAll(/^(?:host|credentials) "(.*)"/gm)].map(
      ([, one]) => one,
    );

  test('leads both names of the service to the address of the agent', () => {
    const text = hostsText({ address: 'http://api:8200/', publicAddress: 'https://keys.test', token: 'run-token' });
    expect(text.match(/"tfe\.v2" = .*/g)).toEqual(Array(2).fill('"tfe.v2" = "http://api:8200/api/v2/"'));
    expect(text.match(/token = .*/g)).toEqual(Array(2).fill('token = "run-token"'));
    expect(hostsIn('http://api:8200', 'https://keys.test')).toEqual(['api:8200', 'api:8200', 'keys.test', 'keys.test']);
    expect(hostsIn('https://keys.test:8443', 'https://keys.test:8443')).toEqual(Array(2).fill('keys.test:8443'));
    expect(hostsIn('http://keys.test', null)).toEqual(Array(2).fill('keys.test:80'));
  });

  test.each([
    'http://[::1]:8200',
    'https://xn--kxae.test',
    'https://a_b.test',
    'https://-a.test',
    'https://ab--c.test',
  ])('leaves out %s, which the engine refuses there', (address) => expect(hostsIn(address, null)).toEqual([]));
});

const none = new Mask([]);

test('a redacted plan has no sensitive value, no variables and no state', () => {
  const change = {
    actions: ['update'],
    before: { a: 'marker-1', b: ['x', 'marker-2'], c: null },
    after: { a: 'seen', b: ['y', 'marker-3'], c: 'marker-4' },
    before_sensitive: { a: true, b: [false, true] },
    after_sensitive: { b: [false, true], c: true },
  };
  const json = {
    format_version: '1.2',
    variables: { v: { value: 'marker-5' } },
    prior_state: 'marker-6',
    resource_changes: [{ address: 'a.b', change }],
    output_changes: { o: { before: 'marker-7', after: 'marker-8', before_sensitive: true, after_sensitive: true } },
  };
  const text = redactedPlan(Buffer.from(JSON.stringify(json)), Buffer.from('{"format_version":"1.0"}'), none) ?? '';
  expect(text).not.toContain('marker-');
  expect(JSON.parse(text)).toMatchObject({
    plan_format_version: '1.2',
    provider_format_version: '1.0',
    resource_changes: [{ change: { before: { b: ['x', 'REDACTED'], c: null }, after: { a: 'seen' } } }],
  });
  expect(redactedPlan(Buffer.from('no JSON'), undefined, none)).toBeUndefined();
});

test('a redacted plan shows no secret of the job, whatever the configuration says of it', () => {
  const change = {
    actions: ['create'],
    before: null,
    after: { text: 'x marker-1 y', list: [{ port: 98765 }], 'marker-2': 'quo"ted', size: 3 },
    after_sensitive: {},
  };
  const json = {
    format_version: '1.2',
    resource_changes: [{ address: 'a.b["marker-1"]', index: 'marker-1', type: 'create', change }],
    output_changes: { o: { actions: ['create'], after: 'marker-2' } },
  };
  const secrets = new Mask(['marker-1', 'marker-2', '98765', 'quo"ted', 'create']);
  const schema = Buffer.from('{"format_version":"1.0"}');
  const text = redactedPlan(Buffer.from(JSON.stringify(json)), schema, secrets) ?? '';
  for (const secret of ['marker-', '98765', 'quo']) expect(text).not.toContain(secret);
  expect(JSON.parse(text)).toMatchObject({
    output_changes: { o: { after: '***' } },
    resource_changes: [
      { address: 'a.b["***"]', type: 'create', change: { actions: ['create'], after: { text: 'x *** y', size: 3 } } },
    ],
  });
});
