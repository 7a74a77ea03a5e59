// Beyond the usual files: tags are changed by separate requests, in a put and in a removal.
import { TagResourceCommand, UntagResourceCommand } from '@aws-sdk/client-secrets-manager';
import type { PutItem } from '../../contract.ts';
import type { Client } from '../client.ts';
import type { RemoteSecret } from '../look/look.ts';
import { ownerRemoved, ownerTag } from '../names.ts';

export interface TagChanges {
  readonly set: Readonly<Record<string, string>>;
  readonly unset: readonly string[];
}

/**
 * The changes that the tags need. Tags that others set stay. A secret that was restored from deletion gets exactly the tags of a
 * new one, also when an earlier attempt restored it and then failed, which its release tag shows. When we cannot look, all tags
 * are sent.
 */
export function tagChanges(found: RemoteSecret | 'unknown', { tags, staleTags }: PutItem): TagChanges {
  const stale = staleTags.filter((key) => !(key in tags));
  if (found === 'unknown') return { set: tags, unset: stale };
  const set = Object.fromEntries(Object.entries(tags).filter(([key, value]) => found.tags[key] !== value));
  const present = Object.keys(found.tags).filter((key) => !(key in tags) && !/^aws:/i.test(key));
  const reborn = found.deleted || found.tags[ownerTag] === ownerRemoved;
  return { set, unset: reborn ? present : present.filter((key) => stale.includes(key)) };
}

/** Removes tags first, since old and new tags together could exceed the limit of a secret. */
export async function changeTags(
  client: Client,
  name: string,
  { set, unset }: TagChanges,
  signal: AbortSignal,
): Promise<void> {
  if (unset.length > 0) {
    await client.call(
      signal,
      (sdk, options) => sdk.send(new UntagResourceCommand({ SecretId: name, TagKeys: [...unset] }), options),
      'untag it',
    );
  }
  if (Object.keys(set).length === 0) return;
  await client.call(
    signal,
    (sdk, options) => sdk.send(new TagResourceCommand({ SecretId: name, Tags: toTags(set) }), options),
    'tag it',
  );
}

export const toTags = (tags: Readonly<Record<string, string>>) =>
  Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
