import { useLocation } from 'preact-iso';
import { sync } from '#client/operations/sync.ts';
import { SelectField } from '../../form/field.tsx';
import { TypedFilter } from '../../form/typed-filter.tsx';
import { api } from '../../state/api.ts';
import { useDestinationNames } from '../../state/overview.ts';
import { useRights } from '../../state/rights.ts';
import { useFilterRoute } from '../../state/use-filter-route.ts';
import { useTitle } from '../../state/use-title.ts';
import { PlanView } from './objects.tsx';
import { keptOrRead, planRefusal, usePlan } from './use-plan.ts';

const path = 'sys/sync/plan';
const limit = 100;
const names = ['type', 'name', 'mount', 'prefix'] as const;

type Within = Readonly<Partial<Record<(typeof names)[number], string>>>;

/** A plan of all destinations, or of those and the secrets that the address names. */
export function Plan() {
  useTitle('Plan');
  const { query } = useLocation();
  const places = useDestinationNames();
  const within: Within = Object.fromEntries(names.flatMap((name) => (query[name] ? [[name, query[name]]] : [])));
  const place = within.type === undefined ? '' : `${within.type}/${within.name ?? ''}`;
  const follow = useFilterRoute();
  const set = (changes: Within, typedIn?: string) => {
    const next = Object.entries({ ...within, ...changes }).filter(([, value]) => value !== '');
    follow(next.length === 0 ? '/ui/plan' : `/ui/plan?${new URLSearchParams(next)}`, typedIn);
  };
  return (
    <>
      <div class="head">
        <div>
          <h1>Plan</h1>
          <p>What syncs would create, update and delete, before anything is written.</p>
        </div>
      </div>
      <search class="filters">
        <SelectField
          label="Destination"
          value={place}
          options={[
            ['', 'All'],
            ...[...new Set([...(place === '' ? [] : [place]), ...places])].map((one) => [one, one] as const),
          ]}
          onValue={(one) => set({ type: one.split('/')[0] ?? '', name: one.split('/').slice(1).join('/') })}
        />
        <TypedFilter label="Mount" value={within.mount ?? ''} onValue={(mount) => set({ mount }, 'mount')} />
        <TypedFilter
          label="Secret begins with"
          value={within.prefix ?? ''}
          onValue={(prefix) => set({ prefix }, 'prefix')}
        />
      </search>
      <OfAll key={JSON.stringify(within)} within={within} />
    </>
  );
}

/** Another choice is another plan. */
function OfAll({ within }: { readonly within: Within }) {
  const rights = useRights([path]);
  const planning = usePlan(({ after, planId }, signal) => {
    const fields = { ...within, limit, after };
    return keptOrRead(
      rights.refusal('update', path),
      () =>
        api.call(
          sync.keepPlanOfAll,
          {},
          { ...fields, keep: true, ...(planId === '' ? {} : { plan_id: planId }) },
          { signal },
        ),
      () => api.call(sync.planAll, {}, fields, { signal }),
    );
  });
  return <PlanView planning={planning} isOfAll refusal={planRefusal(rights, path)} />;
}
