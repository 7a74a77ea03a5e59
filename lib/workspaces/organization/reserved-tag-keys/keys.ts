import { sql } from 'kysely';
import { attributesOf } from '../../../path/jsonapi/body.ts';
import { invalidAttribute, notFound, unprocessable } from '../../../path/jsonapi/error.ts';
import { flag, text } from '../../../path/jsonapi/fields.ts';
import { pageOf, told } from '../../../path/jsonapi/page.ts';
import { type Resource, timeText, toOne } from '../../../path/jsonapi/resource.ts';
import type { ApiCall, DocumentReply } from '../../../path/jsonapi/row.ts';
import { managesWorkspaces, type Standing, standingIn, standingOf } from '../../access/standing.ts';
import { mustHave } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { newId } from '../../frame/ids.ts';
import { mustBeNew } from '../../frame/unique.ts';

interface KeyRow {
  readonly id: string;
  readonly key: string;
  readonly disable_overrides: boolean;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** Of one organization. */
const keysMax = 100;
const type = 'reserved-tag-keys';

const fields = {
  key: text(128)
    .min(1, "can't be blank")
    .regex(/^[A-Za-z0-9_.=+\-@:]*$/, 'can only include letters, numbers and _ . = + - @ :')
    .refine((key) => !/^hcp?:/i.test(key), 'must not begin with a reserved prefix'),
  'disable-overrides': flag().nullable(),
};

/** Members of the organization see them; those who manage all of its workspaces or projects change them. */
export async function listKeys({ store }: WorkspaceParts, call: ApiCall): Promise<DocumentReply> {
  const page = pageOf(call.query);
  const standing = await standingOfPath({ store }, call);
  const { rows } = await sql<KeyRow>`
    select * from ws_reserved_tag_keys where organization_id = ${standing.organization.id} order by key limit ${keysMax}`.execute(
    store.db,
  );
  const shown = rows.slice(page.offset, page.offset + page.size);
  return { data: shown.map((row) => keyOf(standing, row)), page: told(page, rows.length) };
}

export async function createKey({ store }: WorkspaceParts, call: ApiCall): Promise<DocumentReply> {
  const standing = await standingOfPath({ store }, call);
  mustHave(managesWorkspaces(standing));
  const { key, 'disable-overrides': disables } = attributesOf(call, type, fields);
  if (key === undefined) throw invalidAttribute('key', "Key can't be blank");
  const { id } = standing.organization;
  const made = sql<KeyRow>`
    insert into ws_reserved_tag_keys (id, organization_id, key, disable_overrides)
    select ${newId('rtk')}, ${id}, ${key}, ${disables ?? false}
     where (select count(*) from ws_reserved_tag_keys where organization_id = ${id}) < ${keysMax}
    returning *`;
  const { rows } = await mustBeNew('key', made.execute(store.db));
  const [row] = rows;
  if (row === undefined) throw unprocessable(`An organization may have at most ${keysMax} reserved tag keys.`);
  return { status: 201, data: keyOf(standing, row) };
}

/** Changes what the request names and keeps the rest. */
export async function updateKey({ store }: WorkspaceParts, call: ApiCall): Promise<DocumentReply> {
  const { id, standing } = await managed({ store }, call);
  const { key = null, 'disable-overrides': disables = null } = attributesOf(call, type, fields);
  const changed = sql<KeyRow>`
    update ws_reserved_tag_keys set key = coalesce(${key}, key), updated_at = now(),
           disable_overrides = coalesce(${disables}, disable_overrides)
     where id = ${id} returning *`;
  const { rows } = await mustBeNew('key', changed.execute(store.db));
  const [row] = rows;
  if (row === undefined) throw notFound();
  return { data: keyOf(standing, row) };
}

/** Tags that have the key stay. */
export async function removeKey({ store }: WorkspaceParts, call: ApiCall): Promise<undefined> {
  const { id } = await managed({ store }, call);
  await sql`delete from ws_reserved_tag_keys where id = ${id}`.execute(store.db);
}

type Parts = Pick<WorkspaceParts, 'store'>;

const standingOfPath = ({ store }: Parts, { caller, parameters }: ApiCall): Promise<Standing> =>
  standingIn(store, caller, parameters['organization_name'] ?? '');

async function managed({ store }: Parts, { caller, parameters }: ApiCall) {
  const id = parameters['reserved_tag_key_id'] ?? '';
  const organization = sql`(select organization_id from ws_reserved_tag_keys where id = ${id})`;
  const standing = await standingOf(store, caller, organization);
  mustHave(managesWorkspaces(standing));
  return { id, standing };
}

/** Times under two names: clients of the family read either. */
function keyOf({ organization }: Standing, row: KeyRow): Resource {
  const [created, updated] = [timeText(row.created_at), timeText(row.updated_at)];
  return {
    id: row.id,
    type,
    attributes: {
      ...{ key: row.key, 'disable-overrides': row.disable_overrides },
      ...{ 'created-at': created, 'updated-at': updated, created_at: created, updated_at: updated },
    },
    relationships: { organization: toOne('organizations', organization.name) },
  };
}
