import { notFound } from '#core/errors.ts';
import { isUuid } from '#core/ids.ts';
import type { Accepted, Reply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { accepted, operation, type Row } from '#path/contract/row.ts';
import { pathText } from '#path/fields.ts';
import type { Page } from '#path/listing.ts';
import { applyPlan } from '#sync/batches/plans/apply.ts';
import { expirePlan, type KeptPlan, lifetimeSeconds, listPlans, loadPlan } from '#sync/batches/plans/plan.ts';
import { loadBatch } from '#sync/batches/store.ts';
import { afterDated, datedPosition, pageOf, shortFields } from '../../fields/pages.ts';
import type { SyncParts } from '../../parts.ts';
import { boundFields } from '../create.ts';
import { batchView } from '../view.ts';
import { requirePlanRights } from './rights.ts';

/** The rows below `sys/sync/plans`. */
export function keptPlanRows(parts: SyncParts): readonly Row[] {
  const id = { id: pathText('Id of the plan') };
  return [
    {
      pattern: 'sync/plans/',
      help: 'Lists the kept plans of the namespace, the newest first.',
      operations: {
        list: operation(shortFields, {
          summary: 'List kept plans',
          run: (page, context) => list(parts, page, context),
        }),
      },
    },
    {
      pattern: 'sync/plans/:id',
      help: `Shows a kept plan, or deletes it. It can be applied once, until ${lifetimeSeconds / 60} minutes after its last page.`,
      operations: {
        read: operation(id, {
          summary: 'Read a kept plan',
          run: async ({ id }, context) => ({ data: planView(await required(parts, id, context)) }),
        }),
        delete: operation(id, {
          summary: 'Delete a kept plan that was not applied',
          run: async ({ id }, context) => {
            if (isUuid(id)) await expirePlan(parts.store, context.namespace.id, id);
          },
        }),
      },
    },
    {
      pattern: 'sync/plans/:id/apply',
      help: 'Starts a batch that does what a kept plan says and nothing else. It is refused (409) when a destination or a record has changed since; what turns out to differ at a destination is not written and has the outcome changed.',
      operations: {
        write: operation(
          { ...id, rate: boundFields.rate },
          {
            summary: 'Apply a kept plan',
            knownFieldsOnly: true,
            replies: accepted,
            run: ({ id, rate }, context) => apply(parts, id, rate ?? null, context),
          },
        ),
      },
    },
  ];
}

/** A kept plan as reads show it. */
const planView = (plan: KeptPlan): object => ({
  id: plan.id,
  total: plan.items,
  created_at: plan.created_at.toISOString(),
  expires_at: plan.expires_at.toISOString(),
  applied_at: plan.applied_at?.toISOString() ?? null,
  batch: plan.batch_id,
});

async function list({ store }: SyncParts, page: Page, { namespace }: RequestContext): Promise<Reply> {
  const plans = await listPlans(store, namespace.id);
  const { shown, more } = pageOf(afterDated(plans, page), page, datedPosition);
  const key_info = Object.fromEntries(shown.map((plan) => [plan.id, planView(plan)]));
  return shown.length === 0 ? undefined : { data: { keys: shown.map(({ id }) => id), key_info, ...more } };
}

async function required({ store }: SyncParts, id: string, { namespace }: RequestContext): Promise<KeptPlan> {
  const plan = isUuid(id) ? await loadPlan(store, namespace.id, id) : undefined;
  if (plan === undefined) throw notFound();
  return plan;
}

async function apply(
  parts: SyncParts,
  id: string,
  rate: number | null,
  context: RequestContext,
): Promise<Reply | Accepted> {
  const { namespace, vocabulary } = context;
  if (!isUuid(id)) throw notFound();
  await requirePlanRights(parts, id, context);
  const batchId = await applyPlan(parts.store, namespace.id, id, rate);
  const batch = await loadBatch(parts.store, namespace.id, batchId);
  return batch && { status: 202, data: batchView(parts.definitions, batch, vocabulary) };
}
