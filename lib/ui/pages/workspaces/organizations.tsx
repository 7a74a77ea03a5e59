import { useLocation } from 'preact-iso';
import { workspaces } from '#client/operations/workspaces.ts';
import { TypedFilter } from '../../form/typed-filter.tsx';
import { LinkButton } from '../../parts/button.tsx';
import { counted } from '../../parts/relative.ts';
import { Skeleton, Stale, State } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { api } from '../../state/api.ts';
import { useTitle } from '../../state/use-title.ts';
import { rowsPerPage, usePages } from '../../table/pages.ts';
import { type Column, Table } from '../../table/table.tsx';
import { organizationUrl } from './address.ts';
import { type Item, numbered, pagination } from './document/items.ts';
import { Refused } from './document/shown.tsx';
import { modeWord } from './document/words.ts';

export function Organizations() {
  useTitle('Workspaces');
  const { query, route } = useLocation();
  const wanted = query['find'] ?? '';
  const find = (text: string) =>
    route(text === '' ? '/ui/workspaces' : `/ui/workspaces?find=${encodeURIComponent(text)}`, true);
  const pages = usePages({
    key: ['organizations', wanted],
    ask: (after, options) =>
      api.call(
        workspaces.organizations,
        {},
        { 'page[number]': after || '1', 'page[size]': rowsPerPage, ...(wanted === '' ? {} : { q: wanted }) },
        options,
      ),
    ...numbered,
    everyMs: undefined,
  });
  const { first, failure } = pages;
  const body = () => {
    if (first === undefined)
      return failure === undefined ? <Skeleton lines={8} /> : <Refused failure={failure} again={pages.again} />;
    return (
      <>
        <Stale asked={{ reply: first, failure, at: pages.at, again: pages.again }} />
        <search class="filters">
          <TypedFilter label="Find" value={wanted} onValue={find} />
        </search>
        {pages.length === 0 ? (
          <NoOrganization isFiltered={wanted !== ''} />
        ) : (
          <Table
            label="Organizations"
            columns={columns}
            length={pages.length}
            rowAt={pages.rowAt}
            onShow={pages.show}
            onOpen={(one) => route(organizationUrl(one.text('name')))}
            footer={<span role="status">{counted(Number(pagination(first, 'total-count') || 0), 'organization')}</span>}
          />
        )}
      </>
    );
  };
  return (
    <>
      <div class="head">
        <div>
          <h1>Workspaces</h1>
          <p>Organizations that you may see. Each has its workspaces, teams and projects.</p>
        </div>
      </div>
      {body()}
    </>
  );
}

const columns: readonly Column<Item>[] = [
  {
    name: 'Organization',
    width: 'minmax(0, 1fr)',
    cell: (one) => (
      <>
        <span title={one.text('name')}>{one.text('name')}</span>
        <span class="under">{one.text('email')}</span>
      </>
    ),
  },
  {
    name: 'Runs are executed',
    width: '12rem',
    wideOnly: true,
    cell: (one) => modeWord(one.text('default-execution-mode')),
  },
  { name: 'Created', width: '9rem', wideOnly: true, cell: (one) => <Time at={one.text('created-at')} /> },
];

const NoOrganization = ({ isFiltered }: { readonly isFiltered: boolean }) => (
  <div class="card">
    {isFiltered ? (
      <State icon="search" title="No organization matches">
        None has this in its name or address.
      </State>
    ) : (
      <State
        icon="squares"
        title="No organization that you may see"
        actions={<LinkButton href="/ui/explorer?find=post+organizations">API explorer</LinkButton>}
      >
        Create one with <code>POST /api/v2/organizations</code>, or let its owners invite you.
      </State>
    )}
  </div>
);
