import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { sync } from '#client/operations/sync.ts';
import { memberOf, textOf } from '#client/wire/json.ts';
import { StatusBadge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { counted } from '../../parts/relative.ts';
import { Failed, Skeleton, Stale, State } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { kindWord } from '../../parts/words.ts';
import { api } from '../../state/api.ts';
import { pollMs } from '../../state/use-query.ts';
import { useTitle } from '../../state/use-title.ts';
import { type Pages, rowsIn, rowsPerPage, usePages } from '../../table/pages.ts';
import { type Column, Table } from '../../table/table.tsx';
import { RecordDrawer } from './drawer.tsx';
import { type Filter, filterOf, isEmpty, recordsUrl } from './filter.ts';
import { Filters } from './filters.tsx';
import { recordOf, type SyncRecord } from './record.ts';
import { ReplayAll } from './replay-all.tsx';

export function Records() {
  const { query, route } = useLocation();
  const [isReplaying, setReplaying] = useState(false);
  const filter = filterOf(query);
  useTitle('Records');
  const pages = usePages({
    key: ['records', filter],
    ask: (after, options) => api.call(sync.listRecords, {}, { ...asked(filter), limit: rowsPerPage, after }, options),
    ...rowsIn('records'),
    everyMs: pollMs,
  });
  const open = query['record'];
  return (
    <>
      <div class="head">
        <div>
          <h1>Records</h1>
          <p>Which secret is sent where, and how that goes.</p>
        </div>
        <div class="actions">
          <Button icon="spin" onPress={() => setReplaying(true)}>
            Replay all matching
          </Button>
        </div>
      </div>
      <Filters filter={filter} onFilter={(next) => route(recordsUrl(next), true)} />
      <List pages={pages} filter={filter} onOpen={({ id }) => route(recordsUrl(filter, id))} />
      {open === undefined ? null : <RecordDrawer id={open} onClose={() => route(recordsUrl(filter), true)} />}
      {isReplaying ? <ReplayAll filter={filter} onClose={() => setReplaying(false)} /> : null}
    </>
  );
}

export const asked = ({ status, kind, ...others }: Filter) => ({
  ...others,
  ...(status === undefined ? {} : { status }),
  ...(kind === undefined ? {} : { kind }),
});

interface ListProps {
  readonly pages: Pages;
  readonly filter: Filter;
  readonly onOpen: (record: SyncRecord) => void;
}

function List({ pages, filter, onOpen }: ListProps) {
  const { first, failure } = pages;
  if (first === undefined)
    return failure === undefined ? <Skeleton lines={8} /> : <Failed failure={failure} again={pages.again} />;
  if (pages.length === 0 && textOf(first.data, 'total') === '0') return isEmpty(filter) ? <Nothing /> : <NoMatch />;
  const total = Number(textOf(first.data, 'total') || 0);
  const isMore = memberOf(first.data, 'total_at_least') === true;
  return (
    <>
      <Stale asked={{ reply: first, failure, at: pages.at, again: pages.again }} />
      <Table
        label="Records"
        columns={columns}
        length={pages.length}
        rowAt={(index) => {
          const row = pages.rowAt(index);
          return row === undefined ? undefined : recordOf(row);
        }}
        onShow={pages.show}
        onOpen={onOpen}
        footer={
          <>
            <span role="status">
              {isMore ? 'More than ' : ''}
              {counted(total, 'record')}
            </span>
            <span>Enter opens a record</span>
          </>
        }
      />
    </>
  );
}

const columns: readonly Column<SyncRecord>[] = [
  { name: 'Status', width: '11rem', wideOnly: true, cell: ({ status }) => <StatusBadge status={status} /> },
  {
    name: 'Secret',
    width: 'minmax(0, 1.4fr)',
    cell: ({ mount, secret, error, type, destination, status }) => (
      <>
        <span title={`${mount}/${secret}`}>
          <span class="quiet">{mount}/</span>
          {secret}
        </span>
        <span class="under">
          <span class="narrow-only">
            <StatusBadge status={status} />
          </span>
          {error === undefined ? `${type}/${destination}` : kindWord(error.kind)}
        </span>
      </>
    ),
  },
  {
    name: 'Destination',
    width: 'minmax(0, 1fr)',
    wideOnly: true,
    cell: ({ type, destination, externalName }) => (
      <>
        <span title={destination}>{destination}</span>
        <span class="under">{externalName === '' ? type : externalName}</span>
      </>
    ),
  },
  {
    name: 'Changed',
    width: '9rem',
    wideOnly: true,
    cell: ({ updatedAt, nextAttemptAt }) => (
      <>
        <Time at={updatedAt} />
        {nextAttemptAt === '' ? null : (
          <span class="under">
            next <Time at={nextAttemptAt} />
          </span>
        )}
      </>
    ),
  },
];

const Nothing = () => (
  <div class="card">
    <State icon="rows" title="Nothing is synced yet">
      A record appears when a secret is associated with a destination: <code>keyferry sync set</code>, or{' '}
      <code>associations/set</code> of the API.
    </State>
  </div>
);

function NoMatch() {
  const { route } = useLocation();
  return (
    <div class="card">
      <State
        icon="search"
        title="No record matches"
        actions={<Button onPress={() => route(recordsUrl({}), true)}>Clear the filters</Button>}
      >
        Other records are hidden by the filters.
      </State>
    </div>
  );
}
