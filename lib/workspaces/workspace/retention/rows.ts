import { sql } from 'kysely';
import { notFound } from '../../../path/jsonapi/error.ts';
import type { ApiCall, ApiReply, ApiRow } from '../../../path/jsonapi/row.ts';
import { mustHave } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { newId } from '../../frame/ids.ts';
import { withRefusals } from '../../frame/refusals.ts';
import { type OwnerKind, ownerKinds } from './owner.ts';
import { type PolicyRow, policyOf, policyResource } from './policy.ts';

/** How long states are kept, for a workspace and for an organization (reference, workspaces 1.10). */
export const retentionRows = (parts: WorkspaceParts): readonly ApiRow[] =>
  ownerKinds.flatMap((kind) => rowsOf(parts, kind));

function rowsOf(parts: WorkspaceParts, kind: OwnerKind): readonly ApiRow[] {
  const path = `${kind.path}/relationships/data-retention-policy`;
  const set = (call: ApiCall) => setPolicy(parts, kind, call);
  return [
    {
      method: 'GET',
      path,
      summary: `How long ${kind.noun} keeps states`,
      run: (call) => readPolicy(parts, kind, call),
    },
    { method: 'POST', path, summary: `Decide how long ${kind.noun} keeps states`, run: set },
    { method: 'PATCH', path, summary: `Change how long ${kind.noun} keeps states`, run: set },
    {
      method: 'DELETE',
      path,
      summary: `Decide nothing about how long ${kind.noun} keeps states`,
      run: (call) => removePolicy(parts, kind, call),
    },
  ];
}

async function readPolicy(parts: WorkspaceParts, kind: OwnerKind, call: ApiCall): Promise<ApiReply> {
  const { column, id } = await kind.find(parts, call);
  const { rows } = await sql<PolicyRow>`
    select id, type, days from ws_retention_policies where ${sql.ref(column)} = ${id}`.execute(parts.store.db);
  const [row] = rows;
  if (row === undefined) throw notFound();
  return { data: policyResource(row) };
}

/** One that is there keeps its id. */
async function setPolicy(parts: WorkspaceParts, kind: OwnerKind, call: ApiCall): Promise<ApiReply> {
  const { column, id, mayChange } = await kind.find(parts, call);
  mustHave(mayChange);
  const { type, days } = policyOf(call);
  const of = sql.ref(column);
  const set = sql<PolicyRow>`
    insert into ws_retention_policies (id, ${of}, type, days) values (${newId('drp')}, ${id}, ${type}, ${days})
        on conflict (${of}) do update set type = excluded.type, days = excluded.days
    returning id, type, days`;
  const { rows } = await withRefusals({}, () => set.execute(parts.store.db));
  const [row] = rows;
  if (row === undefined) throw notFound();
  return { data: policyResource(row) };
}

async function removePolicy(parts: WorkspaceParts, kind: OwnerKind, call: ApiCall): Promise<undefined> {
  const { column, id, mayChange } = await kind.find(parts, call);
  mustHave(mayChange);
  const { rows } = await sql`
    delete from ws_retention_policies where ${sql.ref(column)} = ${id} returning id`.execute(parts.store.db);
  if (rows.length === 0) throw notFound();
}
