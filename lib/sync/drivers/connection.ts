import { rootNamespace } from '#core/namespace.ts';
import type { Fields, Input } from '#path/fields.ts';

/**
 * The name that a sealed value is bound to: that of its owner, prefixed with the namespace unless it is the root. A value copied
 * into another row of the database therefore cannot be unsealed there.
 */
export const sealedName = (namespaceId: string, name: string): string =>
  namespaceId === rootNamespace.id ? name : `${namespaceId}/${name}`;

type Given = Readonly<Record<string, unknown>>;

/** The connection that a driver uses: the given fields, and defaults for the others. Reads show only the given fields. */
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

/** Member of a stored connection with the names of the given fields. No field name begins with `$`. */
const givenNames = '$given';

/**
 * The connection as it is stored. It includes defaults, because the previous release relies on them, and both releases may run at
 * the same time.
 */
export const toStored = (fields: Fields, given: Given): Given => ({
  ...withDefaults(fields, given),
  [givenNames]: Object.keys(given),
});

/** The given fields of a stored connection; all fields when an earlier release stored it. */
export function givenOf(stored: Given): Given {
  const { [givenNames]: names, ...all } = stored;
  if (!Array.isArray(names)) return all;
  return Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)));
}
