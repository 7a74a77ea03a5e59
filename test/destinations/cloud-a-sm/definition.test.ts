import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { AppError } from '#core/errors.ts';
import { definition } from '#destinations/cloud-a-sm/index.ts';
import { connect } from './connection.ts';

const schema = z.object(definition.fields);
const problemsOf = (body: object): readonly string[] =>
  schema.safeParse(body).error?.issues.map(({ message }) => message) ?? [];

describe('fields', () => {
  test('may all be omitted or empty', () => {
    const empty = Object.fromEntries(Object.keys(definition.fields).map((name) => [name, '']));
    for (const body of [{}, empty]) {
      const connection = connect(body);
      expect(connection.recovery_window_days).toBe(7);
      expect(connection.access_key_id).toBeUndefined();
      expect(definition.validate(connection)).toEqual([]);
    }
  });

  test('are named when they are refused, with the rule and without the value', () => {
    const wrong = {
      access_key_id: 'MARKER with blanks',
      secret_access_key: 'MARKER\nbreak',
      role_arn: 'MARKER',
      external_id: 'MARKER!',
      region: 'MARKER',
      recovery_window_days: 3,
      kms_key_id: 'MARKER key',
      endpoint: 'https://user:MARKER@example.com',
    };
    for (const [name, value] of Object.entries(wrong)) {
      const problems = problemsOf({ [name]: value });
      expect(problems).toHaveLength(1);
      expect(problems[0]).toContain(name);
      expect(problems[0]).not.toContain('MARKER');
    }
  });

  test.each([0, 7, 30, '14'])('a recovery window of %s days is accepted', (days) => {
    expect(problemsOf({ recovery_window_days: days })).toEqual([]);
  });

  test.each([-1, 1, 6, 31, 7.5, 'soon'])('a recovery window of %s days is refused', (days) => {
    expect(problemsOf({ recovery_window_days: days })).toHaveLength(1);
  });

  test('replica regions are a map or a comma-separated text', () => {
    const regions = { 'eu-west-1': '', 'us-gov-west-1': 'arn:aws-us-gov:kms:us-gov-west-1:1:key/a' };
    expect(connect({ replica_regions: regions }).replica_regions).toEqual(regions);
    expect(connect({ replica_regions: 'eu-west-1=,us-west-2=alias/a' }).replica_regions).toEqual({
      'eu-west-1': '',
      'us-west-2': 'alias/a',
    });
    expect(problemsOf({ replica_regions: { Ireland: '' } })[0]).toContain('replica_regions');
  });

  test('keys are sensitive, and the region is fixed', () => {
    const marked = (mark: string) =>
      Object.entries(definition.fields).flatMap(([name, field]) => (field.meta()?.[mark] === true ? [name] : []));
    expect(marked('sensitive')).toEqual(['access_key_id', 'secret_access_key']);
    expect(marked('immutable')).toEqual(['region']);
  });
});

describe('rules over several fields', () => {
  test.each([
    [{ access_key_id: 'AKIA' }, 'secret_access_key'],
    [{ secret_access_key: 'x' }, 'access_key_id'],
    [{ external_id: 'abc' }, 'role_arn'],
    [{ region: 'us-east-1', replica_regions: { 'us-east-1': '' } }, 'replica_regions'],
    [{ region: 'us-east-1', kms_key_id: 'arn:aws:kms:eu-west-1:1:key/a' }, 'kms_key_id'],
    [{ replica_regions: { 'eu-west-1': 'arn:aws:kms:us-east-1:1:key/a' } }, 'replica_regions'],
  ])('%o breaks one', (body, named) => {
    const problems = definition.validate(connect(body));
    expect(problems).toHaveLength(1);
    expect(problems[0]?.text).toContain(named);
    expect(problems[0]?.fields).toContain(named);
  });

  test('a complete connection breaks none', () => {
    const body = {
      access_key_id: 'AKIA',
      secret_access_key: 'x',
      role_arn: 'arn:aws-cn:iam::111122223333:role/path/name',
      external_id: 'a:b',
      region: 'us-east-1',
      kms_key_id: 'arn:aws:kms:us-east-1:111122223333:key/a',
      replica_regions: { 'eu-west-1': 'arn:aws:kms:eu-west-1:111122223333:key/b' },
    };
    expect(definition.validate(connect(body))).toEqual([]);
  });
});

describe('names', () => {
  const { names } = definition;

  test('keep valid characters, and get - for any other', () => {
    expect(names.normalise('a/b_c+d=e.f@g-h')).toBe('a/b_c+d=e.f@g-h');
    expect(names.normalise('a b:ü\u{1f511}!')).toBe('a-b----');
    expect(names.normalise(names.normalise('a b'))).toBe('a-b');
  });

  test('are refused when they are empty, too long or have other characters', () => {
    expect(['', 'n'.repeat(513), 'a b'].map((name) => typeof names.refuse(name))).toEqual([
      'string',
      'string',
      'string',
    ]);
    expect(['a', 'n'.repeat(512), 'ends-sixsix'].map((name) => names.refuse(name))).toEqual(Array(3).fill(undefined));
  });

  test('differ by case', () => {
    expect(names.key('A')).not.toBe(names.key('a'));
  });
});

describe('tags', () => {
  const { tags } = definition;
  const refusalOf = (custom: Record<string, string>): string => {
    try {
      tags.normalise(custom);
    } catch (error) {
      if (error instanceof AppError && error.kind === 'bad-request') return error.message;
      throw error;
    }
    return '';
  };

  test('keep valid characters, and get _ for any other', () => {
    expect(tags.normalise({ 'team:name': 'blå @ 1', 'a*b': 'x\ny' })).toEqual({ 'team:name': 'blå @ 1', a_b: 'x_y' });
  });

  test('are refused when they cannot be normalised', () => {
    const many = Object.fromEntries(Array.from({ length: 49 }, (_, n) => [`k${n}`, 'x']));
    expect(refusalOf(many)).toContain('at most 48');
    expect(refusalOf({ ' ': 'x' })).toContain('empty');
    expect(refusalOf({ 'AWS:x': 'x' })).toContain('aws:');
    expect(refusalOf({ keyferry: 'x' })).toContain('built-in');
    expect(refusalOf({ 'a*': 'x', 'a?': 'x' })).toContain('same');
    expect(refusalOf({ ['k'.repeat(129)]: 'x' })).toContain('128');
    expect(refusalOf({ k: 'x'.repeat(257) })).toContain('256');
  });

  test('include the mark among the built-in ones', () => {
    expect(tags.builtIn('abc')).toEqual({ keyferry: 'managed', 'keyferry-mark': 'abc' });
  });
});
