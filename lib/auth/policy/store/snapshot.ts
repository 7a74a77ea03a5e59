import type { Namespace } from '#core/namespace.ts';
import { objectsOf } from '#store/sql/columns.ts';
import { int, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Grants } from './facts.ts';
import { builtInText } from './policies.ts';

/** Policies at one moment. */
export interface Snapshot {
  readonly revision: number;
  /** In the order of the grants, without policies that do not exist. */
  readonly texts: readonly PolicyText[];
}

export interface PolicyText {
  readonly namespace: Namespace;
  readonly name: string;
  readonly text: string;
}

/** Reads policies with their revision in one statement. */
export async function readSnapshot(store: Store, grants: Grants): Promise<Snapshot> {
  const wanted = grants.flatMap(({ namespace, names }) => names.map((name) => ({ namespace, name })));
  const ids = wanted.map(({ namespace }) => namespace.id);
  const { rows } = await rowsOf(snapshotColumns)`
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

const snapshotColumns = { revision: int, texts: objectsOf({ namespaceId: text, name: text, text }) };

/** Ids of namespaces contain no slash. */
const keyOf = (namespaceId: string, name: string): string => `${namespaceId}/${name}`;

/** The names for which the namespace has no policy. */
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
