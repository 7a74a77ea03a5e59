import { sync } from '#client/operations/sync.ts';
import { api } from '#ui/state/api.ts';
import { useRights } from '#ui/state/rights.ts';
import { PlanView } from '../../plan/objects.tsx';
import { keptOrRead, planRefusal, usePlan } from '../../plan/use-plan.ts';

const limit = 100;

/** What a sync would do now. The plan is kept, so that it can be applied, where the caller may keep one. */
export function Plan({ type, name }: { readonly type: string; readonly name: string }) {
  const path = `sys/sync/destinations/${type}/${name}/plan`;
  const rights = useRights([path]);
  const planning = usePlan(({ after, planId }, signal) =>
    keptOrRead(
      rights.refusal('update', path),
      () =>
        api.call(
          sync.planChange,
          { type, name },
          { limit, after, keep: true, ...(planId === '' ? {} : { plan_id: planId }) },
          { signal },
        ),
      () => api.call(sync.planDestination, { type, name }, { limit, after }, { signal }),
    ),
  );
  return <PlanView planning={planning} isOfAll={false} refusal={planRefusal(rights, path)} />;
}
