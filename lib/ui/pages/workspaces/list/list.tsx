import { useLocation } from 'preact-iso';
import { workspaces } from '#client/operations/workspaces.ts';
import { textsOf } from '#client/wire/json.ts';
import { Badge } from '#ui/parts/badge.tsx';
import { Button, LinkButton } from '#ui/parts/button.tsx';
import { Icon } from '#ui/parts/icon.tsx';
import { count, counted } from '#ui/parts/relative.ts';
import { Skeleton, Stale, State } from '#ui/parts/states.tsx';
import { Time } from '#ui/parts/time.tsx';
import { api } from '#ui/state/api.ts';
import { pollMs } from '#ui/state/use-query.ts';
import { useTitle } from '#ui/state/use-title.ts';
import { type Pages, rowsPerPage, usePages } from '#ui/table/pages.ts';
import { type Column, Table } from '#ui/table/table.tsx';
import { workspaceUrl } from '../address.ts';
import { type Item, numbered, pagination } from '../document/items.ts';
import { Refused } from '../document/shown.tsx';
import { runLook } from '../document/words.ts';
import { Way } from '../way.tsx';
import { type Filter, filterOf, isEmpty, listUrl, queryOf } from './filter.ts';
import { Filters } from './filters.tsx';

/** The workspaces of an organization that the caller may read, page by page. */
export function List({ organization }: { readonly organization: string }) {
  useTitle(organization);
  const { query, route } = useLocation();
  const filter = filterOf(query);
  const pages = usePages({
    key: ['workspaces', organization, filter],
    ask: (after, options) =>
      api.call(
        workspaces.list,
        { organization_name: organization },
        { 'page[number]': after || '1', 'page[size]': rowsPerPage, include: 'current_run,project', ...queryOf(filter) },
        options,
      ),
    ...numbered,
    everyMs: pollMs,
  });
  const onFilter = (next: Filter) => route(listUrl(organization, next), true);
  const isRefused = pages.first === undefined && pages.failure !== undefined;
  return (
    <>
      <div class="head">
        <div>
          <Way />
          <h1 class="wrap">{organization}</h1>
        </div>
      </div>
      {isRefused ? null : <Filters organization={organization} filter={filter} onFilter={onFilter} />}
      <Rows
        pages={pages}
        isFiltered={!isEmpty(filter)}
        onClear={() => onFilter({})}
        onOpen={(one) => route(workspaceUrl(organization, one.text('name')))}
      />
    </>
  );
}

interface RowsProps {
  readonly pages: Pages<Item>;
  readonly isFiltered: boolean;
  readonly onClear: () => void;
  readonly onOpen: (workspace: Item) => void;
}

function Rows({ pages, isFiltered, onClear, onOpen }: RowsProps) {
  const { first, failure } = pages;
  if (first === undefined)
    return failure === undefined ? <Skeleton lines={8} /> : <Refused failure={failure} again={pages.again} />;
  if (pages.length === 0)
    return (
      <div class="card">
        {isFiltered ? (
          <State
            icon="search"
            title="No workspace matches"
            actions={<Button onPress={onClear}>Clear the filters</Button>}
          >
            Other workspaces are hidden by the filters.
          </State>
        ) : (
          <State
            icon="squares"
            title="No workspace yet"
            actions={<LinkButton href="/ui/explorer?find=post+workspaces">API explorer</LinkButton>}
          >
            A workspace is made by the first <code>init</code> with this organization, or by the API.
          </State>
        )}
      </div>
    );
  return (
    <>
      <Stale asked={{ reply: first, failure, at: pages.at, again: pages.again }} />
      <Table
        label="Workspaces"
        columns={columns}
        length={pages.length}
        rowAt={pages.rowAt}
        onShow={pages.show}
        onOpen={onOpen}
        footer={
          <>
            <span role="status">{counted(Number(pagination(first, 'total-count') || 0), 'workspace')}</span>
            <span>Enter opens a workspace</span>
          </>
        }
      />
    </>
  );
}

function Current({ run }: { readonly run: Item | undefined }) {
  return run === undefined ? <span class="quiet">No run yet</span> : <Badge {...runLook(run.text('status'))} />;
}

const columns: readonly Column<Item>[] = [
  {
    name: 'Workspace',
    width: 'minmax(0, 1fr)',
    cell: (one) => (
      <>
        <span class="named">
          <span class="cut" title={one.text('name')}>
            {one.text('name')}
          </span>
          {one.is('locked') ? (
            <span class="locked" title={one.text('locked-reason')}>
              <Icon name="lock" size={14} /> Locked
            </span>
          ) : null}
        </span>
        <span class="under">
          <span class="narrow-only">
            <Current run={one.included('current-run')} />
          </span>
          {[one.included('project')?.text('name') ?? '', ...textsOf(one.value('tag-names'))]
            .filter(Boolean)
            .join(' · ')}
        </span>
      </>
    ),
  },
  {
    name: 'Current run',
    width: 'minmax(11rem, 0.5fr)',
    wideOnly: true,
    cell: (one) => {
      const run = one.included('current-run');
      return (
        <>
          <Current run={run} />
          {run === undefined ? null : <span class="under">{run.text('message')}</span>}
        </>
      );
    },
  },
  {
    name: 'Resources',
    width: '6rem',
    wideOnly: true,
    cell: (one) => <span class="numbers">{count(one.number('resource-count'))}</span>,
  },
  { name: 'Changed', width: '9rem', wideOnly: true, cell: (one) => <Time at={one.text('latest-change-at')} /> },
];
