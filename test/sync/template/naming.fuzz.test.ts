import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { definitions } from '#destinations/index.ts';
import { toEntries } from '#sync/reconcile/plan/entries.ts';
import { plan } from '#sync/reconcile/plan/plan.ts';
import { namer } from '#sync/template/naming.ts';
import { compileTemplate } from '#sync/template/template.ts';
import { fuzzing, runs } from '../../support/fuzz.ts';
import { templates } from './generated.ts';

const names = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ maxLength: 600 }),
  fc.constantFrom(
    '',
    'a',
    'A',
    'a/b',
    'a_b',
    'a-b',
    'a b',
    '1',
    '_1',
    'GITHUB_X',
    'TZ',
    'ß',
    'SS',
    'ı',
    'İ',
    'K',
    '\0',
  ),
);

const secrets = fc.record({
  namespaceId: names,
  namespacePath: names,
  destinationName: names,
  mountPath: names,
  mountAccessor: names,
  secretName: names,
});

describe.each(definitions.map((definition) => [definition.type, definition] as const))('%s', (type, definition) => {
  const rule = definition.names;
  const template = fc.oneof(
    fc.constantFrom(...Object.values(definition.templates), '{{ .SecretKey }}', '{{ .SecretPath }}_{{ .SecretKey }}'),
    templates.map(({ text }) => text),
  );

  test('makes a name that its own rule accepts, or says why it cannot', fuzzing, () => {
    const property = fc.property(template, secrets, names, (text, secret, key) => {
      const naming = namer(compileTemplate(text), rule, { ...secret, type })(key);
      if (!naming.ok) {
        expect(naming.problem).not.toBe('');
        return;
      }
      expect(rule.refuse(naming.name)).toBeUndefined();
      expect(rule.normalise(naming.name)).toBe(naming.name);
      expect(naming.name.length).toBeLessThanOrEqual(rule.lengthMax);
      expect(rule.key(rule.key(naming.name))).toBe(rule.key(naming.name));
    });
    fc.assert(property, runs(400));
  });

  test('never gives two keys the same object, but refuses both', fuzzing, () => {
    const data = fc.dictionary(names, fc.string({ maxLength: 4 }), { maxKeys: 8, noNullPrototype: true });
    const property = fc.property(template, secrets, data, (text, secret, values) => {
      const entries = toEntries(JSON.stringify(values), 'secret-key');
      const decided = plan({
        entries,
        written: [],
        tags: {},
        adopt: false,
        forced: false,
        verify: false,
        removeAgain: false,
        confirmed: new Set(),
        unfit: () => undefined,
        name: namer(compileTemplate(text), rule, { ...secret, type }),
        nameKey: rule.key,
        fingerprint: (name, value) => createHash('sha256').update(name).update(value.reveal()).digest(),
      });
      const keys = decided.puts.map(({ nameKey }) => nameKey);
      expect(new Set(keys).size).toBe(keys.length);
      expect(decided.puts.length + decided.refusals.length).toBe(entries.length);
      for (const { message } of decided.refusals) expect(message).not.toBe('');
    });
    fc.assert(property, runs(150));
  });
});
