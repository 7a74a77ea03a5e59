import { sql } from 'kysely';
import type { Namespace } from '../../../core/namespace.ts';
import type { Store } from '../../../store/store.ts';
import type { Grants } from '../../identity/facts/grants.ts';
import { builtInText } from './policies.ts';

/** Policies at one moment. */
export interface Snapshot {
  readonly revision: number;
  /** In the order of the grants; those that there are not are absent. */
  readonly texts: readonly PolicyText[];
}

export interface PolicyText {
  readonly namespace: Namespace;
  readonly name: string;
  readonly text: string;
}

/** One statement: the revision is that of exactly these texts. */
export async function readSnapshot(store: Store, grants: Grants): Promise<Snapshot> {
  const wanted = grants.flatMap(({ namespace, names }) => names.map((name) => ({ namespace, name })));
  const ids = wanted.map(({ namespace }) => namespace.id);
  const { rows } = await sql<{ revision: number; texts: readonly StoredText[] }>`
    select revision, coalesce(
             (select json_agg(json_build_object('namespaceId', namespace_id, 'name', name, 'text', text)) from policies
               where (namespace_id, name) in (
                 select * from unnest(${ids}::text[], ${wanted.map(({ name }) => name)}::text[]))), '[]'::json) as texts
      from revisions where name = 'policies'`.execute(store.db);
  const { revision = 0, texts = [] } = rows[0] ?? {};
  const stored = new Map(texts.map(({ namespaceId, name, text }) => [keyOf(namespaceId, name), text]));
  const all = wanted.flatMap(({ namespace, name }) => {
    const text = stored.get(keyOf(namespace.id, name)) ?? builtInText(name);
    return text === undefined ? [] : [{ namespace, name, text }];
  });
  return { revision, texts: all };
}

interface StoredText {
  readonly namespaceId: string;
  readonly name: string;
  readonly text: string;
}

/** No id of a namespace has a slash. */
const keyOf = (namespaceId: string, name: string): string => `${namespaceId}/${name}`;

/** Which of these names no policy of the namespace has: what names them gets nothing for it. */
export async function missingPolicies(
  store: Store,
  namespace: Namespace,
  names: readonly string[],
): Promise<readonly string[]> {
  const asked = names.filter((name) => builtInText(name) === undefined);
  if (asked.length === 0) return [];
  const { texts } = await readSnapshot(store, [{ namespace, names: asked }]);
  const there = new Set(texts.map(({ name }) => name));
  return asked.filter((name) => !there.has(name));
}
