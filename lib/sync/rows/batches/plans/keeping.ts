import { AppError, badField } from '#core/errors.ts';
import { isUuid } from '#core/ids.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { bool, type Input, text } from '#path/fields.ts';
import { keepPage, type PlannedDestination, type PlannedItem } from '#sync/batches/plans/keep.ts';
import type { KeptAction } from '#sync/model/kept-action.ts';
import type { Planned } from '#sync/reconcile/plan/planned.ts';
import type { SyncParts } from '../../parts.ts';
import { type PlannedPage, setOf, type Wanted } from './planning.ts';

/** Fields that keep a plan. */
export const keepFields = {
  keep: bool()
    .optional()
    .meta({ description: 'Keep the plan, so that it can be applied: the reply has its `plan_id`' }),
  plan_id: text().optional().meta({ description: 'Add this page to the plan that an earlier page began' }),
};

export interface PlannedPart extends PlannedPage {
  readonly wanted: Wanted;
}

/** The id of the plan that a request keeps. Undefined when it keeps none. */
export async function keepIfAsked(
  parts: SyncParts,
  { keep, plan_id }: Partial<Input<typeof keepFields>>,
  planned: readonly PlannedPart[],
  { namespace }: RequestContext,
): Promise<string | undefined> {
  const earlier = plan_id === '' ? undefined : plan_id;
  if (keep !== true && earlier === undefined) return undefined;
  if (earlier !== undefined && !isUuid(earlier)) throw badField('plan_id', 'plan_id must be the id of a kept plan');
  return keepPage(parts.store, namespace.id, earlier, planned.map(toKept));
}

function toKept(part: PlannedPart): PlannedDestination {
  const { definition, destination } = part.wanted;
  const { id, name, revision } = destination;
  return { id, type: definition.type, name, revision, set: setOf(part.wanted), items: itemsOf(part) };
}

/** One item for each association with something to do. One with a refusal has none: the whole of it stays as it is. */
function itemsOf({ wanted, planned, done }: PlannedPart): readonly PlannedItem[] {
  const objects = new Map<string, Planned[]>();
  for (const one of planned) objects.set(one.id, [...(objects.get(one.id) ?? []), one]);
  return wanted.records.slice(0, done).flatMap(({ id, mount_path, secret_name }): readonly PlannedItem[] => {
    const own = objects.get(id) ?? [];
    const actions = own.flatMap(toAction);
    const generation = own[0]?.generation;
    if (own.some(({ action }) => action === 'refuse')) return [];
    if (actions.length === 0 && (wanted.isSet !== true || own.length === 0)) return [];
    if (generation === undefined) throw outdated;
    return [{ associationId: id, generation, mountPath: mount_path, secretName: secret_name, actions }];
  });
}

const outdated = new AppError(
  'unavailable',
  'the worker that planned is of an earlier release, whose plans cannot be kept: update the workers',
);

const toAction = ({ action, external_name, version = null, looked }: Planned): readonly KeptAction[] =>
  action === 'leave' || action === 'refuse' ? [] : [{ name: external_name, action, version, looked }];
