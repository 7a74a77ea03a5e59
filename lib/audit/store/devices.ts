import { sql } from 'kysely';
import { z } from 'zod';
import { badField, badRequest } from '#core/errors.ts';
import { objectsOf, type RowOf } from '#store/sql/columns.ts';
import { int, nullable, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { auditDevicesTable, auditHeadersTable } from '#store/tables/installation.ts';
import type { DeviceRecord } from '../devices/device.ts';
import type { RecordedHeaders } from '../lines/marks.ts';

/** A consistent snapshot of the stored devices and headers. */
export interface Stored {
  readonly revision: number;
  readonly devices: readonly DeviceRecord[];
  readonly headers: RecordedHeaders;
}

/** With the settings in hexadecimal digits. */
const deviceColumns = { ...auditDevicesTable, settings: text };

const answerColumns = {
  revision: int,
  devices: nullable(objectsOf(deviceColumns)),
  headers: nullable(objectsOf(auditHeadersTable)),
};

const settingsForm = z.object({ options: z.record(z.string(), z.string()), salt: z.string() });
const devicesMax = 20;
const headersMax = 100;

/** Undefined when nothing has changed since the known revision. */
export async function readStored(store: Store, known: number | undefined): Promise<Stored | undefined> {
  const { rows } = await rowsOf(answerColumns)`
    select r.revision::int,
           case when changed then (select json_agg(d) from (
             select id, path, type, description, local, encode(settings, 'hex') as settings
               from audit_devices order by path) d) end as devices,
           case when changed then (select json_agg(h order by name) from audit_headers h) end as headers
      from (select revision, revision <> ${known ?? -1} as changed from revisions where name = 'audit') r`.execute(
    store.db,
  );
  const [row] = rows;
  if (row === undefined || row.revision === known) return undefined;
  return {
    revision: row.revision,
    devices: (row.devices ?? []).map((one) => toRecord(store, one)),
    headers: new Map((row.headers ?? []).map(({ name, hmac }) => [name, hmac])),
  };
}

function toRecord({ barrier }: Store, { settings, ...row }: RowOf<typeof deviceColumns>): DeviceRecord {
  const text = barrier.open(Buffer.from(settings, 'hex'), aad(row.id)).toString();
  return { ...row, ...settingsForm.parse(JSON.parse(text)) };
}

/** @throws AppError `bad-request` when the path is in use, or there are too many devices */
export async function insertDevice(store: Store, { options, salt, ...row }: DeviceRecord): Promise<void> {
  const settings = store.barrier.seal(JSON.stringify({ options, salt }), aad(row.id));
  await store.transaction(async (tx) => {
    await sql`update revisions set revision = revision + 1 where name = 'audit'`.execute(tx);
    const { rows } = await rowsOf({ path: text })`select path from audit_devices`.execute(tx);
    if (rows.some(({ path }) => path === row.path)) throw badField('path', 'path already in use');
    if (rows.length >= devicesMax) throw badRequest(`there are at most ${devicesMax} audit devices`);
    await tx
      .insertInto('audit_devices')
      .values({ ...row, settings })
      .execute();
  });
}

/** Does nothing for an unknown path. */
export async function removeDevice(store: Store, path: string): Promise<void> {
  await store.transaction(async (tx) => {
    await sql`update revisions set revision = revision + 1 where name = 'audit'`.execute(tx);
    await tx.deleteFrom('audit_devices').where('path', '=', path).execute();
  });
}

/** @throws AppError `bad-request` when there are too many headers */
export async function putHeader(store: Store, name: string, hmac: boolean): Promise<void> {
  await store.transaction(async (tx) => {
    await sql`update revisions set revision = revision + 1 where name = 'audit'`.execute(tx);
    const { rows } = await sql`
      insert into audit_headers (name, hmac)
      select ${name}, ${hmac}
       where (select count(*) from audit_headers where name <> ${name}) < ${headersMax}::int
          on conflict (name) do update set hmac = excluded.hmac returning 1`.execute(tx);
    if (rows.length === 0) throw badRequest(`there are at most ${headersMax} headers`);
  });
}

export async function removeHeader(store: Store, name: string): Promise<void> {
  await store.transaction(async (tx) => {
    await sql`update revisions set revision = revision + 1 where name = 'audit'`.execute(tx);
    await tx.deleteFrom('audit_headers').where('name', '=', name).execute();
  });
}

const aad = (id: string): string => `audit_devices/${id}`;
