import { type RawBuilder, sql } from 'kysely';

/**
 * The condition that a column starts with a text, as a range that an index can be read along. Its collation must be "C", which orders
 * texts by code point.
 */
export function startsWith(column: string, prefix: string): RawBuilder<unknown> {
  const [name, end] = [sql.ref(column), afterAllWith(prefix)];
  return end === undefined ? sql`${name} >= ${prefix}` : sql`${name} >= ${prefix} and ${name} < ${end}`;
}

/** The first text after all that start with the prefix: its last character is replaced by the next one, surrogates excepted. */
function afterAllWith(prefix: string): string | undefined {
  const characters = Array.from(prefix, (one) => one.codePointAt(0) ?? 0);
  for (let last = characters.pop(); last !== undefined; last = characters.pop()) {
    if (last < 0x10ffff) return String.fromCodePoint(...characters, last === 0xd7ff ? 0xe000 : last + 1);
  }
  return undefined;
}
