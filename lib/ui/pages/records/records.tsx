import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { sync } from '#client/operations/sync.ts';
import { Button } from '../../parts/button.tsx';
import { api } from '../../state/api.ts';
import { useRights } from '../../state/rights.ts';
import { useFilterRoute } from '../../state/use-filter-route.ts';
import { pollMs } from '../../state/use-query.ts';
import { useTitle } from '../../state/use-title.ts';
import { rowsIn, rowsPerPage, usePages } from '../../table/pages.ts';
import { NewBatch } from './batch.tsx';
import { RecordDrawer } from './drawer.tsx';
import { filterOf, recordsUrl } from './filter.ts';
import { Filters } from './filters.tsx';
import { List } from './list.tsx';

const batches = 'sys/sync/batches';

export function Records() {
  const { query, route } = useLocation();
  const [isReplaying, setReplaying] = useState(false);
  const filter = filterOf(query);
  const rights = useRights([batches]);
  const follow = useFilterRoute();
  useTitle('Records');
  const pages = usePages({
    key: ['records', filter],
    ask: (after, options) => api.call(sync.listRecords, {}, { ...filter, limit: rowsPerPage, after }, options),
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
          <Button icon="spin" refusal={rights.refusal('update', batches)} onPress={() => setReplaying(true)}>
            Replay all matching
          </Button>
        </div>
      </div>
      <Filters filter={filter} onFilter={(next, typed) => follow(recordsUrl(next), typed)} />
      <List pages={pages} filter={filter} onOpen={({ id }) => route(recordsUrl(filter, id))} />
      {open === undefined ? null : <RecordDrawer id={open} onClose={() => route(recordsUrl(filter), true)} />}
      {isReplaying ? <NewBatch action="replay" extent={{ filter }} onClose={() => setReplaying(false)} /> : null}
    </>
  );
}
