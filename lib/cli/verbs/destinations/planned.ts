import { sync } from '#client/operations/sync.ts';
import { memberOf, textOf, type Value } from '#client/wire/json.ts';
import type { Context } from '../../context.ts';
import type { Target } from '../sync/target.ts';

/** Secrets of one page, the most that a request asks for. */
const pageMax = 100;
/** Pages of a plan; each has at least one secret. */
const pagesMax = 1_000_000;

/** What to plan. */
export interface Asked {
  /** Absent: all destinations. */
  readonly target?: Target;
  readonly filter: Readonly<Record<string, string | undefined>>;
  /** As if the secrets were set again with these. */
  readonly set?: Readonly<Record<string, string | undefined>>;
  /** Keep the plan, so that it can be applied. */
  readonly keep: boolean;
}

export interface PlannedObjects {
  readonly objects: readonly Value[];
  /** Of the kept plan; empty when it is not kept. */
  readonly planId: string;
}

/** The objects of all pages. */
export async function planned(context: Context, asked: Asked): Promise<PlannedObjects> {
  const objects: Value[] = [];
  let [after, planId] = ['', ''];
  for (let page = 0; page < pagesMax; page += 1) {
    const data = await onePage(context, asked, after, planId);
    const found = memberOf(data, 'objects');
    objects.push(...(Array.isArray(found) ? found : []));
    after = textOf(data, 'after');
    planId = textOf(data, 'plan_id');
    if (after === '') break;
    const count = new Set(objects.map((object) => textOf(object, 'id'))).size;
    context.say(`${count} of ${textOf(data, 'total')} secrets are planned so far`);
  }
  return { objects, planId };
}

async function onePage({ client }: Context, asked: Asked, after: string, planId: string): Promise<Value | undefined> {
  const { target, filter, set, keep } = asked;
  const fields = { ...filter, limit: pageMax, after: after || undefined };
  const kept = keep ? { keep: true, plan_id: planId || undefined } : {};
  if (target === undefined)
    return (
      await (keep ? client.call(sync.keepPlanOfAll, {}, { ...fields, ...kept }) : client.call(sync.planAll, {}, fields))
    ).data;
  if (set === undefined && !keep) return (await client.call(sync.planDestination, target, fields)).data;
  return (await client.call(sync.planChange, target, { ...fields, ...set, ...kept })).data;
}
