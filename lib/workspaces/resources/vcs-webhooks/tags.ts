import { sql } from 'kysely';
import { bool } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';

const matchMsMax = 1_000;

/**
 * Whether a tag matches the regular expression of a workspace. PostgreSQL matches it: its matching can be ended, and does not hold up other
 * requests, whatever the expression. One that it does not know matches nothing.
 */
export async function matchesTag(
  { transaction }: Pick<Store, 'transaction'>,
  expression: string,
  tag: string,
): Promise<boolean> {
  try {
    return await transaction(async (tx) => {
      await sql`select set_config('statement_timeout', ${String(matchMsMax)}, true)`.execute(tx);
      const { rows } = await rowsOf({
        matches: bool,
      })`select ${tag}::text ~ ${inPostgres(expression)}::text as matches`.execute(tx);
      return rows[0]?.matches ?? false;
    });
  } catch (error) {
    if (refusals.has(codeOf(error))) return false;
    throw error;
  }
}

/** Invalid expression, ended by its time limit, too complex. */
const refusals: ReadonlySet<unknown> = new Set(['2201B', '57014', '54001', '22023']);

const codeOf = (error: unknown): unknown => Object(error).code ?? Object(Object(error).cause).code;

/** Names of groups do not matter, and the ends of a text have other names. */
const inPostgres = (expression: string): string =>
  expression
    .replaceAll(/\(\?(?:P?<[A-Za-z]\w*>|>)/g, '(?:')
    .replaceAll('\\z', '\\Z')
    .slice(0, 512);
