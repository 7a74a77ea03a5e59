import { useLocation } from 'preact-iso';
import { runs } from '#client/operations/workspaces.ts';
import { SelectField } from '#ui/form/field.tsx';
import { Badge } from '#ui/parts/badge.tsx';
import { Button } from '#ui/parts/button.tsx';
import { counted } from '#ui/parts/relative.ts';
import { Skeleton, Stale, State } from '#ui/parts/states.tsx';
import { Time } from '#ui/parts/time.tsx';
import { api } from '#ui/state/api.ts';
import { pollMs } from '#ui/state/use-query.ts';
import { type Pages, rowsPerPage, usePages } from '#ui/table/pages.ts';
import { type Column, Table } from '#ui/table/table.tsx';
import { runUrl, workspaceUrl } from '../address.ts';
import { type Item, numbered, pagination } from '../document/items.ts';
import type { PartProps } from '../document/part.ts';
import { Refused } from '../document/shown.tsx';
import { kindOf, runLook } from '../document/words.ts';
import { Run } from './run.tsx';

/** The runs of a workspace, or the one in the address. */
export function Runs(props: PartProps) {
  const { query } = useLocation();
  const run = query['run'];
  return run === undefined ? <List {...props} /> : <Run key={run} {...props} id={run} />;
}

const groups = [
  ['', 'All'],
  ['non_final', 'Not finished'],
  ['final', 'Finished'],
  ['discardable', 'Can be discarded'],
] as const;

function List({ organization, workspace }: PartProps) {
  const { query, route } = useLocation();
  const group = query['group'] ?? '';
  const name = workspace.text('name');
  const pages = usePages({
    key: ['runs', workspace.id, group],
    ask: (after, options) =>
      api.call(
        runs.list,
        { workspace_id: workspace.id },
        {
          'page[number]': after || '1',
          'page[size]': rowsPerPage,
          ...(group === '' ? {} : { 'filter[status_group]': group }),
        },
        options,
      ),
    ...numbered,
    everyMs: pollMs,
  });
  const choose = (next: string) =>
    route(`${workspaceUrl(organization, name, 'runs')}${next === '' ? '' : `?group=${next}`}`, true);
  return (
    <>
      <search class="filters">
        <SelectField label="Runs" value={group} options={groups} onValue={choose} />
      </search>
      <Rows
        pages={pages}
        isFiltered={group !== ''}
        onClear={() => choose('')}
        onOpen={({ id }) => route(runUrl(organization, name, id))}
      />
    </>
  );
}

interface RowsProps {
  readonly pages: Pages<Item>;
  readonly isFiltered: boolean;
  readonly onClear: () => void;
  readonly onOpen: (run: Item) => void;
}

function Rows({ pages, isFiltered, onClear, onOpen }: RowsProps) {
  const { first, failure } = pages;
  if (first === undefined)
    return failure === undefined ? <Skeleton lines={8} /> : <Refused failure={failure} again={pages.again} />;
  if (pages.length === 0)
    return (
      <div class="card">
        {isFiltered ? (
          <State icon="search" title="No run matches" actions={<Button onPress={onClear}>Show all</Button>}>
            Other runs are hidden by the filter.
          </State>
        ) : (
          <State icon="play" title="No run yet">
            A run needs a configuration, from the command line or a connected repository. Then it can be started here.
          </State>
        )}
      </div>
    );
  return (
    <>
      <Stale asked={{ reply: first, failure, at: pages.at, again: pages.again }} />
      <Table
        label="Runs"
        columns={columns}
        length={pages.length}
        rowAt={pages.rowAt}
        onShow={pages.show}
        onOpen={onOpen}
        footer={<span role="status">{counted(Number(pagination(first, 'total-count') || 0), 'run')}</span>}
      />
    </>
  );
}

const columns: readonly Column<Item>[] = [
  {
    name: 'Status',
    width: '13rem',
    wideOnly: true,
    cell: (run) => <Badge {...runLook(run.text('status'))} />,
  },
  {
    name: 'Run',
    width: 'minmax(0, 1fr)',
    cell: (run) => (
      <>
        <span title={run.text('message')}>{run.text('message') || run.id}</span>
        <span class="under">
          <span class="narrow-only">
            <Badge {...runLook(run.text('status'))} />
          </span>
          {kindOf(run)} · {run.id}
        </span>
      </>
    ),
  },
  { name: 'Created', width: '9rem', wideOnly: true, cell: (run) => <Time at={run.text('created-at')} /> },
];
