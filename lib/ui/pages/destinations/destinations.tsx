import { useLocation } from 'preact-iso';
import { sync } from '#client/operations/sync.ts';
import { memberOf, textOf } from '#client/wire/json.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { counted } from '../../parts/relative.ts';
import { Failed, Skeleton, Stale, State, Warnings } from '../../parts/states.tsx';
import { api } from '../../state/api.ts';
import { useFilterRoute } from '../../state/use-filter-route.ts';
import { pollMs } from '../../state/use-query.ts';
import { useTitle } from '../../state/use-title.ts';
import { type Pages, rowsIn, rowsPerPage, usePages } from '../../table/pages.ts';
import { type Column, Table } from '../../table/table.tsx';
import { useNewRefusal } from '../overview/new-refusal.ts';
import { type Place, placeOf } from '../overview/numbers.ts';
import { Shares } from '../overview/places.tsx';
import { destinationsUrl, type Filter, filterOf, isEmpty } from './filter.ts';
import { Filters } from './filters.tsx';
import { Health } from './health.tsx';

/** All destinations with their numbers, selected, ordered and paged by the server: none has a request of its own. */
export function Destinations() {
  useTitle('Destinations');
  const { query, route } = useLocation();
  const follow = useFilterRoute();
  const filter = filterOf(query);
  const refusal = useNewRefusal();
  const pages = usePages({
    key: ['overview', 'page', filter],
    ask: (after, options) => api.call(sync.overview, {}, { ...filter, limit: rowsPerPage, after }, options),
    ...rowsIn('destinations'),
    everyMs: pollMs,
  });
  return (
    <>
      <div class="head">
        <div>
          <h1>Destinations</h1>
          <p>The external systems that hold copies of secrets.</p>
        </div>
        <LinkButton href="/ui/destinations/new" look="primary" icon="plus" refusal={refusal}>
          New destination
        </LinkButton>
      </div>
      <Filters filter={filter} onFilter={(next, typed) => follow(destinationsUrl(next), typed)} />
      <List pages={pages} filter={filter} onClear={() => route(destinationsUrl({}))} />
    </>
  );
}

interface ListProps {
  readonly pages: Pages;
  readonly filter: Filter;
  readonly onClear: () => void;
}

function List({ pages, filter, onClear }: ListProps) {
  const { route } = useLocation();
  const { first, failure, length } = pages;
  if (first === undefined)
    return failure === undefined ? <Skeleton lines={8} /> : <Failed failure={failure} again={pages.again} />;
  if (length === 0) return isEmpty(filter) ? <Nothing /> : <NoMatch onClear={onClear} />;
  const isMore = memberOf(first.data, 'matching_at_least') === true;
  const matching = counted(Number(textOf(first.data, 'matching') || 0), 'destination');
  return (
    <>
      <Stale asked={{ reply: first, failure, at: pages.at, again: pages.again }} />
      <Warnings of={first} />
      <Table
        label="Destinations"
        columns={columns}
        length={length}
        rowAt={(index) => {
          const row = pages.rowAt(index);
          return row === undefined ? undefined : placeOf(row);
        }}
        onShow={pages.show}
        onOpen={({ type, name }) => route(`/ui/destinations/${encodeURIComponent(type)}/${encodeURIComponent(name)}`)}
        footer={<span>{isMore ? `More than ${matching}` : matching}</span>}
      />
    </>
  );
}

const Nothing = () => (
  <div class="card">
    <State icon="target" title="No destination yet">
      Create the first one, then associate secrets with it.
    </State>
  </div>
);

const NoMatch = ({ onClear }: Pick<ListProps, 'onClear'>) => (
  <div class="card">
    <State icon="search" title="No destination matches" actions={<Button onPress={onClear}>Clear the filters</Button>}>
      Other destinations are hidden by the filters.
    </State>
  </div>
);

const columns: readonly Column<Place>[] = [
  { name: 'Health', width: '11rem', cell: (place) => <Health place={place} /> },
  {
    name: 'Destination',
    width: 'minmax(0, 1fr)',
    cell: ({ name, type }) => (
      <>
        <span title={name}>{name}</span>
        <span class="under">{type}</span>
      </>
    ),
  },
  {
    name: 'Records',
    width: 'minmax(0, 1.4fr)',
    wideOnly: true,
    cell: ({ counts, total }) => <Shares counts={counts} total={total} />,
  },
];
