import { variables } from '#client/operations/workspaces.ts';
import { counted } from '#ui/parts/relative.ts';
import { api } from '#ui/state/api.ts';
import { pollMs, useQuery } from '#ui/state/use-query.ts';
import { rowsPerPage } from '#ui/table/pages.ts';
import { type Item, itemsOf, pagination } from '../document/items.ts';
import type { PartProps } from '../document/part.ts';
import { Shown } from '../document/shown.tsx';
import { refusalIn } from '../document/words.ts';
import { List } from './list.tsx';
import { ofSet, ofWorkspace } from './owner.ts';

/** The variables of a workspace, and those of the sets that apply to it. */
export function Variables({ workspace }: PartProps) {
  const sets = useQuery({
    key: ['sets', workspace.id],
    ask: (options) => api.call(variables.sets, { workspace_id: workspace.id }, { 'page[size]': rowsPerPage }, options),
    everyMs: pollMs,
  });
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
              <VariableSet key={set.id} set={set} />
            ))}
            <MoreSets shown={itemsOf(reply).length} total={Number(pagination(reply, 'total-count') || 0)} />
          </>
        )}
      </Shown>
    </>
  );
}

/** The server decides who may change a set: its documents do not say. */
const VariableSet = ({ set }: { readonly set: Item }) => (
  <List
    title={`Set ${set.text('name')}`}
    note={[
      set.is('global') ? 'applies to all workspaces' : 'applies to this workspace',
      set.is('priority') ? 'overrides the variables of the workspace' : '',
    ]
      .filter(Boolean)
      .join(', ')}
    owner={ofSet(set.id)}
    refusal={undefined}
  />
);

const MoreSets = ({ shown, total }: { readonly shown: number; readonly total: number }) =>
  total > shown ? <p class="quiet">{counted(total - shown, 'more set')} of the organization apply too.</p> : null;
