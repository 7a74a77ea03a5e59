import { sync } from '#client/operations/sync.ts';
import { textOf } from '#client/wire/json.ts';
import { SelectField } from '#ui/form/field.tsx';
import { TypedFilter } from '#ui/form/typed-filter.tsx';
import { Button } from '#ui/parts/button.tsx';
import { api } from '#ui/state/api.ts';
import { useRights } from '#ui/state/rights.ts';
import { useQuery } from '#ui/state/use-query.ts';
import { listIn } from '#ui/table/pages.ts';
import { type Filter, isEmpty, orders, states } from './filter.ts';

interface FiltersProps {
  readonly filter: Filter;
  /** @param typedIn the field in which it was typed */
  readonly onFilter: (filter: Filter, typedIn?: string) => void;
}

export function Filters({ filter, onFilter }: FiltersProps) {
  const types = useTypes(filter.type);
  const set = (changes: Filter, typedIn?: string) => onFilter({ ...filter, ...changes }, typedIn);
  return (
    <search class="filters">
      <TypedFilter label="Name contains" value={filter.find ?? ''} onValue={(find) => set({ find }, 'find')} />
      <SelectField
        label="State"
        value={filter.state ?? ''}
        options={[['', 'All'], ...states]}
        onValue={(state) => set({ state })}
      />
      <SelectField
        label="Type"
        value={filter.type ?? ''}
        options={[['', 'All'], ...types.map((type) => [type, type] as const)]}
        onValue={(type) => set({ type })}
      />
      <SelectField label="Order" value={filter.sort ?? ''} options={orders} onValue={(sort) => set({ sort })} />
      {isEmpty(filter) ? null : (
        <Button look="plain" icon="close" onPress={() => onFilter({})}>
          Clear
        </Button>
      )}
    </search>
  );
}

const path = 'sys/sync/types';

/** The types that there are, as far as the caller may know them, and the chosen one. */
function useTypes(chosen = ''): readonly string[] {
  const rights = useRights([path]);
  const { reply } = useQuery({
    key: ['types'],
    ask: (options) => api.call(sync.describeTypes, {}, undefined, options),
    enabled: rights.may('read', path),
  });
  const types = listIn(reply?.data, 'types').map((one) => textOf(one, 'type'));
  return chosen === '' || types.includes(chosen) ? types : [chosen, ...types];
}
