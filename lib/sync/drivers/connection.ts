import { rootNamespace } from '../../core/namespace.ts';
import type { Fields, Input } from '../../path/fields.ts';

/**
 * What a sealed value is bound to: the name of what it belongs to, with the namespace where that is not the root. So what
 * somebody writes into another row of the database does not open there.
 */
export const sealedName = (namespaceId: string, name: string): string =>
  namespaceId === rootNamespace.id ? name : `${namespaceId}/${name}`;

type Given = Readonly<Record<string, unknown>>;

/** The connection that a driver works with: what was given, and the defaults of what was not. Shown is only what was given. */
export function withDefaults(fields: Fields, given: Given): Input<Fields> {
  return { ...defaultsOf(fields), ...given };
}

const known = new WeakMap<Fields, Given>();

function defaultsOf(fields: Fields): Given {
  let defaults = known.get(fields);
  if (defaults === undefined) {
    const usual = Object.entries(fields).map(([name, field]) => [name, field.safeParse(undefined).data] as const);
    defaults = Object.fromEntries(usual.filter(([, value]) => value !== undefined));
    known.set(fields, defaults);
  }
  return defaults;
}

/** Member of a stored connection: the names of what was given. No field begins like this. */
const givenNames = '$given';

/**
 * The connection as it is stored. Defaults stand beside what was given, because the release before this one takes them for
 * granted, and both may run side by side.
 */
export const toStored = (fields: Fields, given: Given): Given => ({
  ...withDefaults(fields, given),
  [givenNames]: Object.keys(given),
});

/** What was given of a stored connection: all of it, where an earlier release stored it. */
export function givenOf(stored: Given): Given {
  const { [givenNames]: names, ...all } = stored;
  if (!Array.isArray(names)) return all;
  return Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)));
}
