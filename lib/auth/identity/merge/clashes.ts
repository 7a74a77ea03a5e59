import { badRequest } from '../../../core/errors.ts';
import type { Mounts } from '../parts.ts';

/** An alias of one of the entities that are to become one. */
export interface MergedAlias {
  readonly id: string;
  readonly entity_id: string;
  readonly entity_name: string;
  readonly mount_accessor: string;
  readonly name: string;
}

/** What a merge asks for of aliases. */
export interface AliasWish {
  readonly to: string;
  readonly from: readonly string[];
  /** Of aliases at the same mount, those that are kept. */
  readonly keep: readonly string[];
}

/** Aliases that cannot stay: an entity has one at a mount. `clashes`: those that nobody has decided about. */
export interface Clashes {
  readonly dropped: readonly string[];
  readonly clashes: readonly MergedAlias[];
}

/** @throws AppError `bad-request` when it is not clear whom a wish is about */
export function clashesOf(aliases: readonly MergedAlias[], { to, from, keep }: AliasWish): Clashes {
  if (from.length > 1 && keep.length > 1) {
    throw badRequest('aliases conflicts cannot be resolved with multiple from entity ids - merge one entity at a time');
  }
  const byMount = Map.groupBy(aliases, (alias) => alias.mount_accessor);
  const several = [...byMount.values()].filter((group) => group.length > 1);
  const decided = several.filter((group) => group.filter(({ id }) => keep.includes(id)).length === 1);
  return {
    dropped: decided.flat().flatMap(({ id }) => (keep.includes(id) ? [] : [id])),
    clashes: several
      .filter((group) => !decided.includes(group))
      .flat()
      .sort((one, other) => Number(other.entity_id === to) - Number(one.entity_id === to)),
  };
}

/** The answer to a merge whose aliases clash: clients read them from the data. */
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
