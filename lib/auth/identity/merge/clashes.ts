import { badField } from '#core/errors.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { text } from '#store/sql/kinds.ts';
import type { Mounts } from '../parts.ts';

/** An alias of one of the entities that are merged. */
export type MergedAlias = RowOf<typeof mergedAliasColumns>;

export const mergedAliasColumns = { id: text, entity_id: text, entity_name: text, mount_accessor: text, name: text };

/** How a merge treats aliases. */
export interface AliasChoice {
  readonly to: string;
  readonly from: readonly string[];
  /** Ids of the aliases to keep where several are at one mount. */
  readonly keep: readonly string[];
}

/** Aliases that cannot all stay, since an entity has one alias at a mount: those to drop, and those without a decision. */
export interface Clashes {
  readonly dropped: readonly string[];
  readonly clashes: readonly MergedAlias[];
}

/** @throws AppError `bad-request` when several sources make the aliases to keep ambiguous */
export function clashesOf(aliases: readonly MergedAlias[], { to, from, keep }: AliasChoice): Clashes {
  if (from.length > 1 && keep.length > 1) {
    throw badField(
      ['from_entity_ids', 'conflicting_alias_ids_to_keep'],
      'aliases conflicts cannot be resolved with multiple from entity ids - merge one entity at a time',
    );
  }
  const byMount = Map.groupBy(aliases, (alias) => alias.mount_accessor);
  const shared = [...byMount.values()].filter((group) => group.length > 1);
  const decided = shared.filter((group) => group.filter(({ id }) => keep.includes(id)).length === 1);
  return {
    dropped: decided.flat().flatMap(({ id }) => (keep.includes(id) ? [] : [id])),
    clashes: shared
      .filter((group) => !decided.includes(group))
      .flat()
      .sort((one, other) => Number(other.entity_id === to) - Number(one.entity_id === to)),
  };
}

/** The reply to a merge whose aliases clash. Clients read the aliases from the data. */
export function clashReply(clashes: readonly MergedAlias[], mounts: Mounts): object {
  const data = clashes.map((alias) => ({
    entity: alias.entity_name,
    entity_id: alias.entity_id,
    alias: alias.name,
    alias_id: alias.id,
    mount: mounts.get(alias.mount_accessor)?.type ?? '',
    mount_path: mounts.get(alias.mount_accessor)?.path ?? '',
  }));
  const listed = data.map((one) => `mountAccessor: ${one.mount_path}, entityID: ${one.entity_id}, alias: ${one.alias}`);
  return { errors: [`${clashText}${listed.join('; ')}`], data };
}

const clashText =
  'toEntity and at least one fromEntity have aliases with the same mount accessor, repeat the merge request specifying exactly one fromEntity, clashes: ';
