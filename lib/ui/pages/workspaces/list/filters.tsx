import { workspaces } from '#client/operations/workspaces.ts';
import { SelectField } from '#ui/form/field.tsx';
import { TypedFilter } from '#ui/form/typed-filter.tsx';
import { Button } from '#ui/parts/button.tsx';
import { api } from '#ui/state/api.ts';
import { useQuery } from '#ui/state/use-query.ts';
import { rowsPerPage } from '#ui/table/pages.ts';
import { itemsOf } from '../document/items.ts';
import { runLook, runStatuses } from '../document/words.ts';
import { type Filter, isEmpty } from './filter.ts';

interface FiltersProps {
  readonly organization: string;
  readonly filter: Filter;
  readonly onFilter: (filter: Filter) => void;
}

export function Filters({ organization, filter, onFilter }: FiltersProps) {
  const asked = useQuery({
    key: ['projects', organization],
    ask: (options) =>
      api.call(workspaces.projects, { organization_name: organization }, { 'page[size]': rowsPerPage }, options),
  });
  const projects =
    asked.reply === undefined ? [] : itemsOf(asked.reply).map((one) => [one.id, one.text('name')] as const);
  const known = filter.project === undefined || projects.some(([id]) => id === filter.project);
  const set = (changes: Readonly<Record<string, string>>) =>
    onFilter(Object.fromEntries(Object.entries({ ...filter, ...changes }).filter(([, value]) => value !== '')));
  return (
    <search class="filters">
      <TypedFilter label="Name contains" value={filter.find ?? ''} onValue={(find) => set({ find })} />
      <TypedFilter label="Tag, or key=value" value={filter.tag ?? ''} onValue={(tag) => set({ tag })} />
      <SelectField
        label="Project"
        value={filter.project ?? ''}
        options={[['', 'All'], ...(known ? [] : [[filter.project ?? '', filter.project ?? ''] as const]), ...projects]}
        onValue={(project) => set({ project })}
      />
      <SelectField
        label="Current run"
        value={filter.status ?? ''}
        options={[['', 'Any or none'], ...runStatuses.map((status) => [status, runLook(status).word] as const)]}
        onValue={(status) => set({ status })}
      />
      {isEmpty(filter) ? null : (
        <Button look="plain" icon="close" onPress={() => onFilter({})}>
          Clear
        </Button>
      )}
    </search>
  );
}
