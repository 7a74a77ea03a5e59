import { sql } from 'kysely';
import type { Attributes } from '#path/jsonapi/body.ts';
import { invalidAttribute, notFound, unprocessable } from '#path/jsonapi/error.ts';
import { flag, notBlank, text } from '#path/jsonapi/fields.ts';
import { type Page, pageInfo } from '#path/jsonapi/page.ts';
import { type Resource, timeText, toOne } from '#path/jsonapi/resource.ts';
import type { DocumentReply } from '#path/jsonapi/row.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { wsReservedTagKeysTable } from '#store/tables/workspaces.ts';
import type { Standing } from '../../access/standing.ts';
import { newId } from '../../frame/ids.ts';
import { withRefusals } from '../../frame/refusals.ts';

type KeyRow = RowOf<typeof wsReservedTagKeysTable>;

/** Reserved tag keys of one organization. */
const keysMax = 100;
export const type = 'reserved-tag-keys';

/** Attributes of a reserved tag key in a request. */
export const reservedTagKeyFields = {
  key: text(128)
    .min(1, notBlank)
    .regex(/^[A-Za-z0-9_.=+\-@:]*$/, 'can only include letters, numbers and _ . = + - @ :')
    .refine((key) => !/^hcp?:/i.test(key), 'must not begin with a reserved prefix'),
  'disable-overrides': flag().nullable(),
};

type SentKey = Attributes<typeof reservedTagKeyFields>;
type Db = Pick<Store, 'db'>;

export async function listKeys({ db }: Db, standing: Standing, page: Page): Promise<DocumentReply> {
  const { rows } = await rowsOf(wsReservedTagKeysTable)`
    select * from ws_reserved_tag_keys where organization_id = ${standing.organization.id} order by key limit ${keysMax}`.execute(
    db,
  );
  const shown = rows.slice(page.offset, page.offset + page.size);
  return { data: shown.map((row) => keyOf(standing, row)), page: pageInfo(page, rows.length) };
}

const taken = { ws_reserved_tag_keys_organization_id_key_key: 'key' };

export async function createKey({ db }: Db, standing: Standing, sent: SentKey): Promise<DocumentReply> {
  const { key, 'disable-overrides': disables } = sent;
  if (key === undefined) throw invalidAttribute('key', "Key can't be blank");
  const { id } = standing.organization;
  const made = rowsOf(wsReservedTagKeysTable)`
    insert into ws_reserved_tag_keys (id, organization_id, key, disable_overrides)
    select ${newId('rtk')}, ${id}, ${key}, ${disables ?? false}
     where (select count(*) from ws_reserved_tag_keys where organization_id = ${id}) < ${keysMax}
    returning *`;
  const { rows } = await withRefusals(taken, () => made.execute(db));
  const [row] = rows;
  if (row === undefined) throw unprocessable(`An organization may have at most ${keysMax} reserved tag keys.`);
  return { status: 201, data: keyOf(standing, row) };
}

/** Updates the attributes that were sent. */
export async function updateKey({ db }: Db, standing: Standing, id: string, sent: SentKey): Promise<DocumentReply> {
  const { key = null, 'disable-overrides': disables = null } = sent;
  const changed = rowsOf(wsReservedTagKeysTable)`
    update ws_reserved_tag_keys set key = coalesce(${key}, key), updated_at = now(),
           disable_overrides = coalesce(${disables}, disable_overrides)
     where id = ${id} returning *`;
  const { rows } = await withRefusals(taken, () => changed.execute(db));
  const [row] = rows;
  if (row === undefined) throw notFound();
  return { data: keyOf(standing, row) };
}

/** Existing tags with the key are kept. */
export async function removeKey({ db }: Db, id: string): Promise<undefined> {
  await sql`delete from ws_reserved_tag_keys where id = ${id}`.execute(db);
}

/** Each time has two names, since clients differ in the one they read. */
function keyOf({ organization }: Standing, row: KeyRow): Resource {
  const [created, updated] = [timeText(row.created_at), timeText(row.updated_at)];
  return {
    id: row.id,
    type,
    attributes: {
      key: row.key,
      'disable-overrides': row.disable_overrides,
      'created-at': created,
      'updated-at': updated,
      created_at: created,
      updated_at: updated,
    },
    relationships: { organization: toOne('organizations', organization.name) },
  };
}
