import { createHash } from 'node:crypto';
import { aliasView, timeText } from '../alias/row.ts';
import type { Mounts } from '../parts.ts';
import type { Entity } from './read.ts';

/** An entity as clients read it. */
export const entityView = (entity: Entity, mounts: Mounts): object => ({
  id: entity.id,
  name: entity.name,
  metadata: entity.metadata,
  policies: entity.policies,
  disabled: entity.disabled,
  aliases: entity.aliases.map((alias) => aliasView(alias, mounts)),
  bucket_key_hash: bucketKeyHash(entity.id),
  creation_time: timeText(entity.created_at),
  last_update_time: timeText(entity.updated_at),
  merged_entity_ids: entity.merged_entity_ids.length === 0 ? null : entity.merged_entity_ids,
  direct_group_ids: entity.direct_group_ids,
  group_ids: [...entity.direct_group_ids, ...entity.inherited_group_ids].sort(),
  inherited_group_ids: entity.inherited_group_ids,
  namespace_id: entity.namespace_id,
  mfa_secrets: entity.mfa_secrets,
});

/** The reply to a write of an entity. */
export const entityReply = ({ id, name, aliases }: Entity): object => ({
  id,
  name,
  aliases: aliases.length === 0 ? null : aliases.map((alias) => alias.id),
});

/** A stand-in for a value of the API family: entities are not stored in buckets here. */
const bucketKeyHash = (id: string): string => createHash('sha256').update(id).digest('hex').slice(0, 32);
