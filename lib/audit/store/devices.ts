import { sql } from 'kysely';
import { z } from 'zod';
import { badRequest } from '../../core/errors.ts';
import type { Store } from '../../store/store.ts';
import type { DeviceRecord } from '../devices/device.ts';
import type { RecordedHeaders } from '../lines/settings.ts';
import type {} from './tables.ts';

/** All that is stored, at one moment. */
export interface Stored {
  readonly revision: number;
  readonly devices: readonly DeviceRecord[];
  readonly headers: RecordedHeaders;
}

interface Row extends Omit<DeviceRecord, 'options' | 'salt'> {
  readonly settings: string;
}

interface Answer {
  readonly revision: number;
  readonly devices: readonly Row[] | null;
  readonly headers: readonly { readonly name: string; readonly hmac: boolean }[] | null;
}

const settingsForm = z.object({ options: z.record(z.string(), z.string()), salt: z.string() });
const devicesMax = 20;
const headersMax = 100;

/** Undefined: nothing has changed since that revision. */
export async function readStored(store: Store, known: number | undefined): Promise<Stored | undefined> {
  const { rows } = await sql<Answer>`
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

function toRecord({ barrier }: Store, { settings, ...row }: Row): DeviceRecord {
  const text = barrier.open(Buffer.from(settings, 'hex'), aad(row.id)).toString();
  return { ...row, ...settingsForm.parse(JSON.parse(text)) };
}

/** @throws AppError `bad-request` when the path is in use, or there are too many */
export async function insertDevice(store: Store, { options, salt, ...row }: DeviceRecord): Promise<void> {
  const settings = store.barrier.seal(JSON.stringify({ options, salt }), aad(row.id));
  await store.transaction(async (tx) => {
    await sql`update revisions set revision = revision + 1 where name = 'audit'`.execute(tx);
    const { rows } = await sql<{ path: string }>`select path from audit_devices`.execute(tx);
    if (rows.some(({ path }) => path === row.path)) throw badRequest('path already in use');
    if (rows.length >= devicesMax) throw badRequest(`there are at most ${devicesMax} audit devices`);
    await tx
      .insertInto('audit_devices')
      .values({ ...row, settings })
      .execute();
  });
}

/** Removes it if it is there. */
export async function removeDevice(store: Store, path: string): Promise<void> {
  await store.transaction(async (tx) => {
    await sql`update revisions set revision = revision + 1 where name = 'audit'`.execute(tx);
    await tx.deleteFrom('audit_devices').where('path', '=', path).execute();
  });
}

/** @throws AppError `bad-request` when there are too many */
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
