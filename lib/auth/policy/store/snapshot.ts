import { sql } from 'kysely';
import type { Store } from '../../../store/store.ts';
import { builtInText } from './policies.ts';

/** Policies at one moment. */
export interface Snapshot {
  readonly revision: number;
  /** Texts by name; names that there are not are absent. */
  readonly texts: ReadonlyMap<string, string>;
}

/** One statement: the revision is that of exactly these texts. */
export async function readSnapshot(store: Store, namespaceId: string, names: readonly string[]): Promise<Snapshot> {
  const { rows } = await sql<{ revision: number; texts: readonly { name: string; text: string }[] }>`
    select revision, coalesce(
             (select json_agg(json_build_object('name', name, 'text', text)) from policies
               where namespace_id = ${namespaceId} and name = any(${names}::text[])), '[]'::json) as texts
      from revisions where name = 'policies'`.execute(store.db);
  const { revision = 0, texts = [] } = rows[0] ?? {};
  const stored = new Map(texts.map(({ name, text }) => [name, text]));
  const all = names.flatMap((name) => {
    const text = stored.get(name) ?? builtInText(name);
    return text === undefined ? [] : [[name, text] as const];
  });
  return { revision, texts: new Map(all) };
}

/** Which of these names no policy of the namespace has: what names them gets nothing for it. */
export async function missingPolicies(
  store: Store,
  namespaceId: string,
  names: readonly string[],
): Promise<readonly string[]> {
  const asked = names.filter((name) => builtInText(name) === undefined);
  if (asked.length === 0) return [];
  const { texts } = await readSnapshot(store, namespaceId, asked);
  return asked.filter((name) => !texts.has(name));
}
