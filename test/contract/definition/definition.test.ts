import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { definitions } from '#destinations/index.ts';
import { compileTemplate, type TemplateInput } from '#sync/template/template.ts';

const anyName = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 600 }),
  fc.string({ unit: 'grapheme', maxLength: 600 }),
  fc.stringMatching(/^[A-Za-z0-9/_+=.@ -]{0,300}$/),
);

const secret: TemplateInput = {
  DestinationType: 'a-type',
  DestinationName: 'a-destination',
  NamespacePath: '',
  NamespaceBaseName: '',
  NamespaceID: 'root',
  MountPath: 'teams/payments',
  MountBaseName: 'payments',
  MountAccessor: 'kv_1a2b3c4d',
  SecretPath: 'billing/app.v2',
  SecretBaseName: 'app.v2',
  SecretKey: 'db-password',
};

test('types and aliases are unique', () => {
  const identifiers = definitions.flatMap(({ type, alias }) => [type, alias]);
  expect(new Set(identifiers).size).toBe(identifiers.length);
});

describe.each(definitions)('the definition of $type', (definition) => {
  test('has usable limits', () => {
    expect(definition.type).toMatch(/^[a-z]+(-[a-z]+)*$/);
    expect(definition.title).not.toBe('');
    expect(definition.rate.callsPerSecond).toBeGreaterThan(0);
    expect(definition.rate.burst).toBeGreaterThanOrEqual(1);
    expect(definition.concurrencyMax).toBeGreaterThanOrEqual(1);
    expect(definition.valueBytesMax).toBeGreaterThanOrEqual(1024);
  });

  describe('names', () => {
    const { names } = definition;

    test('are normalised idempotently', () => {
      fc.assert(fc.property(anyName, (name) => names.normalise(names.normalise(name)) === names.normalise(name)));
    });

    test('are accepted after that, or refused with a reason', () => {
      fc.assert(
        fc.property(anyName, (name) => {
          const reason = names.refuse(names.normalise(name));
          expect(reason).not.toBe('');
          if (reason === undefined) expect(names.normalise(name).length).toBeLessThanOrEqual(names.lengthMax);
        }),
      );
    });

    test('are accepted only in their normalised form', () => {
      fc.assert(fc.property(anyName, (name) => names.refuse(name) !== undefined || names.normalise(name) === name));
    });

    test('have a key that is its own key', () => {
      fc.assert(fc.property(anyName, (name) => names.key(names.key(name)) === names.key(name)));
    });

    test('are refused when they are empty or longer than the documented rule', () => {
      const longest = names.normalise('n'.repeat(names.lengthMax));
      expect(names.refuse('')).toMatch(/empty/);
      expect(names.refuse(longest)).toBeUndefined();
      expect(names.refuse(`${longest}${longest.at(-1)}`)).toContain(String(names.lengthMax));
      expect(names.text).toContain(String(names.lengthMax));
    });
  });

  describe('the default templates', () => {
    const { templates, names } = definition;
    const whole = compileTemplate(templates['secret-path']);
    const perKey = compileTemplate(templates['secret-key']);
    const render = (template: typeof whole, changes: Partial<TemplateInput> = {}) =>
      names.normalise(template.render({ ...secret, ...changes }));

    test('distinguish secrets of different mounts and paths, and keys with separate objects', () => {
      for (const template of [whole, perKey]) {
        expect(template.mentions('MountAccessor')).toBe(true);
        expect(template.mentions('SecretPath')).toBe(true);
        expect(names.key(render(template, { SecretPath: 'other' }))).not.toBe(names.key(render(template)));
      }
      expect(perKey.mentions('SecretKey')).toBe(true);
      expect(whole.mentions('SecretKey')).toBe(false);
      expect(names.key(render(perKey, { SecretKey: 'other' }))).not.toBe(names.key(render(perKey)));
    });

    test('make names that the system accepts', () => {
      expect(names.refuse(render(whole))).toBeUndefined();
      expect(names.refuse(render(perKey))).toBeUndefined();
    });
  });
});
