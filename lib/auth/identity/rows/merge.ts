import { badRequest } from '../../../core/errors.ts';
import { operation, type Row } from '../../../path/contract/row.ts';
import { bool, text, textList } from '../../../path/fields.ts';
import { clashReply } from '../merge/clashes.ts';
import { mergeEntities } from '../merge/merge.ts';
import type { IdentityParts } from '../parts.ts';

const fromMax = 1_000;

/** `entity/merge`. */
export const mergeRow = ({ store, mountsOf }: IdentityParts): Row => ({
  pattern: 'entity/merge',
  help: 'Makes one entity of several. Their tokens go on as tokens of the one that is left.',
  operations: {
    write: operation(
      {
        from_entity_ids: textList().default([]).meta({ description: 'Ids of the entities that end' }),
        to_entity_id: text(64).default('').meta({ description: 'Id of the entity that is left' }),
        force: bool()
          .default(false)
          .meta({ description: 'Where both have a secret of one MFA method, the one that is left keeps its own' }),
        conflicting_alias_ids_to_keep: textList()
          .default([])
          .meta({ description: 'Of aliases at the same mount, the ids of those that stay' }),
      },
      {
        summary: 'Merge entities',
        knownFieldsOnly: true,
        async run(input, { namespace }) {
          const merge = {
            to: input.to_entity_id,
            from: [...new Set(input.from_entity_ids)],
            keep: input.conflicting_alias_ids_to_keep,
            force: input.force,
          };
          mustMakeSense(merge);
          const clashes = await mergeEntities(store, namespace.id, merge);
          if (clashes.length === 0) return undefined;
          return { status: 400, body: clashReply(clashes, await mountsOf(namespace)) };
        },
      },
    ),
  },
});

function mustMakeSense({ to, from }: { readonly to: string; readonly from: readonly string[] }): void {
  if (to === '') throw badRequest('missing entity id to merge to');
  if (from.length === 0) throw badRequest('missing entity ids to merge from');
  if (from.length > fromMax) throw badRequest(`at most ${fromMax} entities are merged at once`);
  if (from.includes(to)) throw badRequest('to_entity_id should not be present in from_entity_ids');
}
