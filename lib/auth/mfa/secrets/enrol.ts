import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { badField } from '#core/errors.ts';
import type { ReplyContent } from '#path/contract/reply.ts';
import { bool } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Method } from '../methods/store.ts';
import { barcodeOf, urlOf } from './totp.ts';

/**
 * Generates the secret of an entity for a method, and replies once with what an authenticator needs. The present settings of the
 * method apply to all codes of the secret. When the entity already has a secret, the reply is a warning without data.
 *
 * @throws AppError `bad-request` when the entity or the method does not exist
 */
export async function enrol(
  { db, barrier }: Store,
  namespaceId: string,
  method: Method,
  entityId: string,
): Promise<ReplyContent> {
  const { settings } = method;
  const key = randomBytes(settings.key_size);
  const url = urlOf(key, settings, entityId);
  const barcode = await barcodeOf(url, settings.qr_size);
  const sealed = barrier.seal(key, secretAad(method.id, entityId));
  const { rows } = await rowsOf(enrolledColumns)`
    with method as (select id from mfa_methods where id = ${method.id} and removed_at is null for key share),
      entity as (select id from entities where id = ${entityId} and namespace_id = ${namespaceId} for key share),
      made as (
        insert into mfa_secrets (method_id, entity_id, settings, secret)
        select method.id, entity.id, ${JSON.stringify(settings)}::jsonb, ${sealed} from method, entity
        on conflict do nothing returning 1)
    select exists (select 1 from method) as "hasMethod", exists (select 1 from entity) as "hasEntity",
           exists (select 1 from made) as "isNew"`.execute(db);
  const [found] = rows;
  if (found?.hasMethod !== true) throw noMethod(method.id);
  if (!found.hasEntity) throw noEntity();
  if (found.isNew) return { data: { barcode, url } };
  return { warnings: [`Entity already has a secret for MFA method ${JSON.stringify(method.name || method.id)}`] };
}

const enrolledColumns = {
  hasMethod: bool,
  hasEntity: bool,
  isNew: bool,
};

/** Deletes the secret of an entity. A missing secret is a success. @throws AppError `bad-request` for an unknown entity */
export async function destroySecret(
  { db }: Store,
  namespaceId: string,
  { id }: Method,
  entityId: string,
): Promise<void> {
  const { rows } = await sql`
    with deleted as (delete from mfa_secrets where method_id = ${id} and entity_id = ${entityId})
    select 1 from entities where id = ${entityId} and namespace_id = ${namespaceId}`.execute(db);
  if (rows.length === 0) throw noEntity();
}

/** Additional data that binds a sealed secret to its row. */
export const secretAad = (methodId: string, entityId: string): string => `mfa_secrets/${methodId}/${entityId}`;

export const noMethod = (id: string, fields: readonly 'method_id'[] = []) =>
  badField(fields, `configuration for method ID ${JSON.stringify(id)} does not exist`);
const noEntity = () => badField('entity_id', 'invalid entity ID');
