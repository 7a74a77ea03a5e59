import { variables, workspaces } from '#client/operations/workspaces.ts';
import { counted } from '#ui/parts/relative.ts';
import { api } from '#ui/state/api.ts';
import { pollMs, useQuery } from '#ui/state/use-query.ts';
import { rowsPerPage } from '#ui/table/pages.ts';
import { type Item, itemIn, itemsOf, pagination } from '../document/items.ts';
import type { PartProps } from '../document/part.ts';
import { Shown } from '../document/shown.tsx';
import { refusalIn } from '../document/words.ts';
import { List } from './list.tsx';
import { ofSet, ofWorkspace } from './owner.ts';

/** The variables of a workspace, and those of the sets that apply to it. */
export function Variables({ organization, workspace }: PartProps) {
  const sets = useQuery({
    key: ['sets', workspace.id],
    ask: (options) => api.call(variables.sets, { workspace_id: workspace.id }, { 'page[size]': rowsPerPage }, options),
    everyMs: pollMs,
  });
  const owner = useQuery({
    key: ['organization', organization],
    ask: (options) => api.call(workspaces.organization, { organization_name: organization }, undefined, options),
  });
  const refusal = setRefusal(owner.reply === undefined ? undefined : itemIn(owner.reply));
  return (
    <>
      <List
        title="Variables of this workspace"
        owner={ofWorkspace(workspace.id)}
        refusal={refusalIn(workspace, 'can-update-variable')}
      />
      <Shown asked={sets}>
        {(reply) => (
          <>
            {itemsOf(reply).map((set) => (
              <VariableSet key={set.id} set={set} refusal={refusal} />
            ))}
            <MoreSets shown={itemsOf(reply).length} total={Number(pagination(reply, 'total-count') || 0)} />
          </>
        )}
      </Shown>
    </>
  );
}

/** A set belongs to the organization, whose document says who may change it. */
const setRefusal = (organization: Item | undefined): string | undefined =>
  organization === undefined || organization.is('permissions', 'can-manage-varsets')
    ? undefined
    : 'Your teams may not manage workspaces or projects of the organization, so you may not change its variable sets.';

interface VariableSetProps {
  readonly set: Item;
  readonly refusal: string | undefined;
}

const VariableSet = ({ set, refusal }: VariableSetProps) => (
  <List
    title={`Set ${set.text('name')}`}
    note={[
      set.is('global') ? 'applies to all workspaces' : 'applies to this workspace',
      set.is('priority') ? 'overrides the variables of the workspace' : '',
    ]
      .filter(Boolean)
      .join(', ')}
    owner={ofSet(set.id)}
    refusal={refusal}
  />
);

const MoreSets = ({ shown, total }: { readonly shown: number; readonly total: number }) =>
  total > shown ? <p class="quiet">{counted(total - shown, 'more set')} of the organization apply too.</p> : null;
