import { badField } from '#core/errors.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { bool, text, textList } from '#path/fields.ts';
import { clashReply } from '../merge/clashes.ts';
import { mergeEntities } from '../merge/merge.ts';
import type { IdentityParts } from '../parts.ts';

const fromMax = 1_000;

/** `entity/merge`. */
export const mergeRow = (parts: IdentityParts): Row => ({
  pattern: 'entity/merge',
  help: 'Merges entities into one, which takes over their tokens.',
  operations: {
    write: operation(
      {
        from_entity_ids: textList()
          .default([])
          .meta({ description: 'Ids of the entities to merge, which are deleted' }),
        to_entity_id: text(64).default('').meta({ description: 'Id of the entity to merge into' }),
        force: bool()
          .default(false)
          .meta({ description: 'Keep the MFA secret of the target where both have one of the same method' }),
        conflicting_alias_ids_to_keep: textList()
          .default([])
          .meta({ description: 'Ids of the aliases to keep where several are at one mount' }),
      },
      {
        summary: 'Merge entities',
        knownFieldsOnly: true,
        replies: { 400: 'own' },
        async run(input, { namespace }) {
          const merge = {
            to: input.to_entity_id,
            from: [...new Set(input.from_entity_ids)],
            keep: input.conflicting_alias_ids_to_keep,
            force: input.force,
          };
          checkMerge(merge);
          const clashes = await mergeEntities(parts, namespace.id, merge);
          if (clashes.length === 0) return undefined;
          return { status: 400, body: clashReply(clashes, await parts.mountsOf(namespace)) };
        },
      },
    ),
  },
});

function checkMerge({ to, from }: { readonly to: string; readonly from: readonly string[] }): void {
  if (to === '') throw badField('to_entity_id', 'missing entity id to merge to');
  if (from.length === 0) throw badField('from_entity_ids', 'missing entity ids to merge from');
  if (from.length > fromMax) throw badField('from_entity_ids', `at most ${fromMax} entities can be merged at once`);
  if (from.includes(to))
    throw badField(['to_entity_id', 'from_entity_ids'], 'to_entity_id should not be present in from_entity_ids');
}
