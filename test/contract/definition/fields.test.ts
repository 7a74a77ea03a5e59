import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { problemOf } from '#core/problem.ts';
import type { DestinationDefinition } from '#destinations/contract.ts';
import { definitions } from '#destinations/index.ts';
import { loadFake } from '#destinations/load.ts';
import { metaOf } from '#sync/rows/fields/forms.ts';
import { connect, credentialsOf } from '../support/stand.ts';

describe.each(definitions)('the fields of $type', (definition) => {
  const fields = Object.entries(definition.fields).map(([name, field]) => ({ name, meta: metaOf(field) }));

  test.each(fields)('$name has a description and a name in the style of the API', ({ name, meta }) => {
    expect(name).toMatch(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/);
    expect(meta.description).toMatch(/\S{2,}/);
  });

  test('hide credentials, and nothing that must be visible', () => {
    const hidden = fields.filter(({ meta }) => meta.sensitive === true).map(({ name }) => name);
    const loginParts = fields.map(({ name }) => name).filter(isLoginPart);
    expect(hidden).toEqual(expect.arrayContaining(loginParts));
    expect(hidden).not.toContain('endpoint');
    expect(hidden).not.toContain('tls_ca_cert');
  });

  test('include an address and authorities for every type', () => {
    expect(fields.map(({ name }) => name)).toEqual(expect.arrayContaining(['endpoint', 'tls_ca_cert']));
  });

  test('are named when they break a rule, and never show hidden values', async () => {
    const { rules, texts, hidden } = await problemsOf(definition);
    const named = Object.keys(definition.fields);
    expect(texts).not.toEqual([]);
    const isKnown = (name: string) => named.includes(name);
    expect(rules.filter(({ text }) => !named.some((name) => String(text).includes(name)))).toEqual([]);
    expect(rules.filter(({ fields }) => fields.length === 0 || !fields.every(isKnown))).toEqual([]);
    expect(texts.filter((text) => hidden.some((value) => text.includes(value)))).toEqual([]);
  });
});

/** Words that name a credential, a token or a key, at the end of a field's name or before `_json`, `_pem`. */
const isLoginPart = (name: string): boolean =>
  /(^|_)(token|secret|password|credentials|private_key|secret_access_key)(_json|_pem)?$/.test(name);

const marker = 'spoilt-and-hidden-0123456789';
const spoilt: readonly unknown[] = ['', ' ', '..', `${marker}/with ü\n`, marker.repeat(200), -1, [], { marker }];

/** The messages for a valid body in which one field after another is made invalid: those of our own rules, and all of them. */
async function problemsOf(definition: DestinationDefinition) {
  const startFake = await loadFake(definition.type);
  const fake = await startFake();
  const { destination } = fake;
  await fake.close();
  const credentials = credentialsOf(definition, connect(definition, destination));
  const tries = Object.entries(definition.fields).flatMap(([name, field]) =>
    spoilt.map((value) => {
      const said = saidOf(definition, { ...destination, [name]: value });
      return metaOf(field).sensitive === true ? said : { ...said, texts: said.texts.map(withoutMarker) };
    }),
  );
  return {
    rules: tries.flatMap(({ rules }) => rules),
    texts: tries.flatMap(({ texts }) => texts),
    hidden: [marker, ...credentials.filter((text) => text.length >= 8)],
  };
}

/** A field that is not sensitive may be quoted. */
const withoutMarker = (text: string): string => text.replaceAll(marker, '');

function saidOf(definition: DestinationDefinition, body: Readonly<Record<string, unknown>>) {
  const { success, data = {}, error } = z.object(definition.fields).safeParse(body);
  const issues = error?.issues ?? [];
  const present = Object.entries(data).filter(([, value]) => value !== undefined);
  const own = issues
    .filter(({ code }) => code === 'custom')
    .map(({ message, path }) => problemOf(String(path[0]), message));
  const rules = success ? definition.validate(Object.fromEntries(present)) : own;
  return { rules, texts: [...rules.map(({ text }) => String(text)), ...issues.map(({ message }) => message)] };
}
