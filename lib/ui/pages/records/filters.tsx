import { SelectField } from '../../form/field.tsx';
import { TypedFilter } from '../../form/typed-filter.tsx';
import { Button } from '../../parts/button.tsx';
import { errorKinds, failed, kindWord, lookOf, statuses } from '../../parts/words.ts';
import { useDestinationNames } from '../../state/overview.ts';
import { type Filter, isEmpty } from './filter.ts';

interface FiltersProps {
  readonly filter: Filter;
  /** @param typedIn the field in which it was typed */
  readonly onFilter: (filter: Filter, typedIn?: string) => void;
}

export function Filters({ filter, onFilter }: FiltersProps) {
  const places = useDestinationNames();
  const set = (changes: Readonly<Record<string, string>>, typedIn?: string) =>
    onFilter(present({ ...filter, ...changes }), typedIn);
  const place = filter.type === undefined ? '' : `${filter.type}/${filter.name ?? ''}`;
  const known = place === '' || places.includes(place) ? places : [place, ...places];
  return (
    <search class="filters">
      <SelectField
        label="Status"
        value={filter.status ?? ''}
        options={[
          ['', 'All'],
          [failed.join(','), 'All failed'],
          ...statuses.map((status) => [status, lookOf(status).word] as const),
        ]}
        onValue={(status) => set({ status })}
      />
      <SelectField
        label="Destination"
        value={place}
        options={[['', 'All'], ...known.map((one) => [one, one] as const)]}
        onValue={(one) => set({ type: one.split('/')[0] ?? '', name: one.split('/').slice(1).join('/') })}
      />
      <SelectField
        label="Error"
        value={filter.kind ?? ''}
        options={[['', 'Any or none'], ...errorKinds.map((kind) => [kind, kindWord(kind)] as const)]}
        onValue={(kind) => set({ kind })}
      />
      <TypedFilter label="Mount" value={filter.mount ?? ''} onValue={(mount) => set({ mount }, 'mount')} />
      <TypedFilter
        label="Secret begins with"
        value={filter.prefix ?? ''}
        onValue={(prefix) => set({ prefix }, 'prefix')}
      />
      {isEmpty(filter) ? null : (
        <Button look="plain" icon="close" onPress={() => onFilter({})}>
          Clear
        </Button>
      )}
    </search>
  );
}

const present = (filter: Readonly<Record<string, string>>): Filter =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ''));
