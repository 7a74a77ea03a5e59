import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { AppError } from '../../lib/core/errors.ts';
import type { DestinationDefinition, TagRule } from '../../lib/destinations/contract.ts';
import { definitions } from '../../lib/destinations/index.ts';
import { loadFake } from '../../lib/destinations/load.ts';
import { metaOf } from '../../lib/sync/rows/destination-fields.ts';
import { compileTemplate, type TemplateInput } from '../../lib/sync/template/template.ts';
import { connect, credentialsOf } from './stand.ts';

const tagged = definitions.flatMap(({ type, tags }) => (tags === undefined ? [] : [{ type, tags }]));
const mark = '0123456789abcdef0123456789abcdef';

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

test('each type and each alias is there once', () => {
  const identifiers = definitions.flatMap(({ type, alias }) => [type, alias]);
  expect(new Set(identifiers).size).toBe(identifiers.length);
});

describe.each(definitions)('the definition of $type', (definition) => {
  test('has limits that let work be done', () => {
    expect(definition.type).toMatch(/^[a-z]+(-[a-z]+)*$/);
    expect(definition.title).not.toBe('');
    expect(definition.rate.callsPerSecond).toBeGreaterThan(0);
    expect(definition.rate.burst).toBeGreaterThanOrEqual(1);
    expect(definition.concurrencyMax).toBeGreaterThanOrEqual(1);
    expect(definition.valueBytesMax).toBeGreaterThanOrEqual(1024);
  });

  describe('names', () => {
    const { names } = definition;

    test('are brought to the rules of the system once: a second time changes nothing', () => {
      fc.assert(fc.property(anyName, (name) => names.normalise(names.normalise(name)) === names.normalise(name)));
    });

    test('are then accepted, or refused with a reason', () => {
      fc.assert(
        fc.property(anyName, (name) => {
          const reason = names.refuse(names.normalise(name));
          expect(reason).not.toBe('');
          if (reason === undefined) expect(names.normalise(name).length).toBeLessThanOrEqual(names.lengthMax);
        }),
      );
    });

    test('are accepted only in the form that they are brought to', () => {
      fc.assert(fc.property(anyName, (name) => names.refuse(name) !== undefined || names.normalise(name) === name));
    });

    test('stay the same object when they are brought to the rules of the system', () => {
      fc.assert(fc.property(anyName, (name) => names.key(names.key(name)) === names.key(name)));
    });

    test('are refused when they are empty or longer than the rule that people read', () => {
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

    test('tell secrets of different mounts and paths apart, and keys where each has its own object', () => {
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

  describe('the fields', () => {
    const fields = Object.entries(definition.fields).map(([name, field]) => ({ name, meta: metaOf(field) }));

    test.each(fields)('$name has a description and a name in the style of the API', ({ name, meta }) => {
      expect(name).toMatch(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/);
      expect(meta.description).toMatch(/\S{2,}/);
    });

    test('hide what logs in, and nothing that has to be seen', () => {
      const hidden = fields.filter(({ meta }) => meta.sensitive === true).map(({ name }) => name);
      const loginParts = fields.map(({ name }) => name).filter(isLoginPart);
      expect(hidden).toEqual(expect.arrayContaining(loginParts));
      expect(hidden).not.toContain('endpoint');
      expect(hidden).not.toContain('tls_ca_cert');
    });

    test('let every type have an address and authorities of its own', () => {
      expect(fields.map(({ name }) => name)).toEqual(expect.arrayContaining(['endpoint', 'tls_ca_cert']));
    });

    test('name themselves when they break a rule, and never show what is hidden', async () => {
      const { rules, texts, hidden } = await problemsOf(definition);
      const named = Object.keys(definition.fields);
      expect(texts).not.toEqual([]);
      expect(rules.filter((text) => !named.some((name) => text.includes(name)))).toEqual([]);
      expect(texts.filter((text) => hidden.some((value) => text.includes(value)))).toEqual([]);
    });
  });
});

describe.each(tagged)('the tag rule of $type', ({ tags }) => {
  test('has room for the built-in tags, one of which is the mark', () => {
    const builtIn = tags.builtIn(mark);
    expect(Object.keys(builtIn).length).toBeLessThan(tags.countMax);
    expect(Object.values(builtIn)).toContain(mark);
    expect(tags.builtIn(mark)).toEqual(builtIn);
  });

  test('accepts as many custom tags as fit beside them, and refuses one more', () => {
    const room = tags.countMax - Object.keys(tags.builtIn(mark)).length;
    expect(Object.keys(tags.normalise(customTags(room)))).toHaveLength(room);
    expect(refusalOf(tags, customTags(room + 1))).toContain('custom_tags');
  });

  test('brings custom tags to the rules of the system once: a second time changes nothing', () => {
    const custom = fc.dictionary(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.string({ maxLength: 60 }), {
      maxKeys: 5,
    });
    fc.assert(
      fc.property(custom, (given) => {
        const once = normalised(tags, given);
        if (once !== undefined) expect(tags.normalise(once)).toEqual(once);
      }),
    );
  });

  test('keeps custom tags away from the built-in ones', () => {
    for (const key of Object.keys(tags.builtIn(mark))) {
      expect(refusalOf(tags, { [key]: 'mine' })).toContain('custom_tags');
    }
  });
});

/** Words that name a credential, a token or a key, at the end of a field's name or before `_json`, `_pem`. */
const isLoginPart = (name: string): boolean =>
  /(^|_)(token|secret|password|credentials|private_key|secret_access_key)(_json|_pem)?$/.test(name);

const customTags = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`tag${index}`, `value${index}`]));

/** Undefined: refused, as what cannot be mended has to be. */
function normalised(tags: TagRule, custom: Readonly<Record<string, string>>) {
  try {
    return tags.normalise(custom);
  } catch (error) {
    if (error instanceof AppError && error.kind === 'bad-request') return undefined;
    throw error;
  }
}

function refusalOf(tags: TagRule, custom: Readonly<Record<string, string>>): string {
  try {
    return JSON.stringify(tags.normalise(custom));
  } catch (error) {
    if (error instanceof AppError && error.kind === 'bad-request') return error.message;
    throw error;
  }
}

const marker = 'spoilt-and-hidden-0123456789';
const spoilt: readonly unknown[] = ['', ' ', '..', `${marker}/with ü\n`, marker.repeat(200), -1, [], { marker }];

/** What is said when one field of a good body after the other is spoilt: by the rules over all fields, and in all. */
async function problemsOf(definition: DestinationDefinition) {
  const startFake = await loadFake(definition.type);
  const fake = await startFake();
  const { destination } = fake;
  await fake.close();
  const schema = z.object(definition.fields);
  const credentials = credentialsOf(definition, connect(definition, destination));
  const tries = Object.keys(definition.fields).flatMap((name) =>
    spoilt.map((value) => {
      const hidden = metaOf(definition.fields[name] ?? z.never()).sensitive === true ? marker : '';
      const parsed = schema.safeParse({ ...destination, [name]: value });
      const rules = parsed.success ? definition.validate(present(parsed.data)) : [];
      const issues = parsed.success ? [] : parsed.error.issues.map(({ message }) => message);
      return {
        rules,
        texts: [...rules, ...issues].map((text) => (hidden === '' ? text.replaceAll(marker, '') : text)),
      };
    }),
  );
  return {
    rules: tries.flatMap(({ rules }) => rules),
    texts: tries.flatMap(({ texts }) => texts),
    hidden: [marker, ...credentials.filter((text) => text.length >= 8)],
  };
}

const present = (data: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined));
