import { useLocation } from 'preact-iso';
import { memberOf, textOf } from '#client/wire/json.ts';
import { Button } from '../../parts/button.tsx';
import { counted } from '../../parts/relative.ts';
import { Failed, Skeleton, Stale, State, Warnings } from '../../parts/states.tsx';
import { say } from '../../parts/toast.tsx';
import type { Pages } from '../../table/pages.ts';
import { useSelection } from '../../table/selection.ts';
import { Table } from '../../table/table.tsx';
import { columns } from './columns.tsx';
import { type Filter, isEmpty, recordsUrl } from './filter.ts';
import { recordOf, type SyncRecord } from './record.ts';
import { Toolbar } from './toolbar.tsx';

interface ListProps {
  readonly pages: Pages;
  readonly filter: Filter;
  readonly onOpen: (record: SyncRecord) => void;
}

/** A batch names at most so many records. */
const pickedMax = 500;

export function List({ pages, filter, onOpen }: ListProps) {
  const selection = useSelection<SyncRecord>(
    JSON.stringify(filter),
    ({ id }) => id,
    pickedMax,
    () => say('fail', `At most ${counted(pickedMax, 'record')} can be picked. Select all matching for more.`),
  );
  const { first, failure } = pages;
  if (first === undefined)
    return failure === undefined ? <Skeleton lines={8} /> : <Failed failure={failure} again={pages.again} />;
  if (pages.length === 0 && textOf(first.data, 'total') === '0') return isEmpty(filter) ? <Nothing /> : <NoMatch />;
  const isMore = memberOf(first.data, 'total_at_least') === true;
  const total = `${isMore ? 'More than ' : ''}${counted(Number(textOf(first.data, 'total') || 0), 'record')}`;
  return (
    <>
      <Stale asked={{ reply: first, failure, at: pages.at, again: pages.again }} />
      <Warnings of={first} />
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
        selection={selection}
        header={<Toolbar selection={selection} filter={filter} total={total} />}
        footer={<span>Enter opens a record, Space selects it</span>}
      />
    </>
  );
}

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
        actions={<Button onPress={() => route(recordsUrl({}))}>Clear the filters</Button>}
      >
        Other records are hidden by the filters.
      </State>
    </div>
  );
}
