import { useLocation } from 'preact-iso';
import { memberOf, textOf, type Value } from '#client/wire/json.ts';
import { age, attempts, depth, flow, Samples, waiting } from '../../chart/samples.tsx';
import { Badge } from '../../parts/badge.tsx';
import { Icon } from '../../parts/icon.tsx';
import { count, counted } from '../../parts/relative.ts';
import { Answer, State } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import type { Look } from '../../parts/words.ts';
import { namespace } from '../../state/api.ts';
import { useOverview } from '../../state/overview.ts';
import { useTitle } from '../../state/use-title.ts';
import { listIn } from '../../table/pages.ts';
import { type Column, Table } from '../../table/table.tsx';
import { countsOf } from '../overview/numbers.ts';
import { Tile } from '../overview/tile.tsx';
import { isMissing, WorkerList, type Workers, workersOf } from './workers.tsx';

/** How much waits, for how long, and what holds it up. */
export function Queue() {
  useTitle('Queue');
  const asked = useOverview();
  return (
    <>
      <div class="head">
        <div>
          <h1>Queue</h1>
          <p>What waits for a worker, and what holds it up.</p>
        </div>
      </div>
      <Answer asked={asked}>{({ data }) => <Numbers overview={data ?? null} />}</Answer>
      <Samples
        charts={namespace.value === '' ? [depth, age, flow, attempts, waiting] : [age, flow, attempts, waiting]}
        hasErrors
      />
    </>
  );
}

function Numbers({ overview }: { readonly overview: Value }) {
  const queue = memberOf(overview, 'queue');
  const [pending, capacity] = [textOf(queue, 'pending'), Number(textOf(queue, 'capacity') || 0)];
  const isFull = pending !== '' && Number(pending) >= capacity;
  const lines = linesOf(overview);
  const workers = workersOf(overview);
  const stopped = lines.filter(({ circuit }) => circuit === 'open' || circuit === 'half-open').length;
  return (
    <>
      {queue !== undefined && isFull ? <Full capacity={capacity} /> : null}
      {queue !== undefined && pending === '' ? (
        <div class="banner" role="status">
          <Icon name="cloud" />
          <span class="grow">
            Nothing is pushed while Redis is away. Changes wait in the database and are not lost.
          </span>
        </div>
      ) : null}
      <div class="tiles">
        {queue === undefined ? null : (
          <Tile
            name="Operations"
            icon="stack"
            value={pending === '' ? '–' : Number(pending)}
            tone={isFull ? 'fail' : undefined}
            more={`of ${count(capacity)} in all namespaces`}
          />
        )}
        <Tile
          name="Waiting"
          icon="clock"
          value={countsOf(memberOf(overview, 'counts'))['PENDING'] ?? 0}
          tone="wait"
          href="/ui/records?status=PENDING"
          since={textOf(overview, 'pending_since')}
          more="Nothing waits"
        />
        <Tile
          name="Unreachable"
          icon="cloud"
          value={stopped}
          tone={stopped > 0 ? 'fail' : 'ok'}
          more={stopped === 0 ? 'All circuits are closed' : 'Their circuits are open'}
        />
        {workers === undefined ? null : <WorkersTile workers={workers} />}
      </div>
      <Lines lines={lines} />
      {workers === undefined ? null : <WorkerList workers={workers} />}
    </>
  );
}

function WorkersTile({ workers }: { readonly workers: readonly Workers[] }) {
  const missing = workers.filter(isMissing).length;
  return (
    <Tile
      name="Workers"
      icon="gear"
      value={workers.reduce((sum, { seen }) => sum + seen, 0)}
      tone={missing > 0 ? 'fail' : undefined}
      more={
        missing > 0
          ? `${counted(missing, 'type that waits has', 'types that wait have')} none`
          : 'Seen within the last minute'
      }
    />
  );
}

const Full = ({ capacity }: { readonly capacity: number }) => (
  <div class="banner" role="status">
    <Icon name="alert" />
    <span class="grow">
      The queue is full: it holds {counted(capacity, 'operation')}. New associations are refused until there is room.
      More workers make room, or a higher <code>queue_capacity</code> of <code>sys/sync/config</code>.
    </span>
  </div>
);

interface Line {
  readonly type: string;
  readonly name: string;
  readonly pending: number;
  readonly since: string;
  readonly circuit: string;
  readonly openUntil: string;
  readonly available: string;
  readonly limit: string;
  readonly calls: string;
}

/** Those that wait or are held up first. */
const linesOf = (overview: Value): readonly Line[] =>
  listIn(overview, 'destinations')
    .map((one) => ({
      type: textOf(one, 'type'),
      name: textOf(one, 'name'),
      pending: Number(textOf(one, 'counts', 'PENDING') || 0),
      since: textOf(one, 'pending_since'),
      circuit: textOf(one, 'circuit'),
      openUntil: textOf(one, 'circuit_open_until'),
      available: textOf(one, 'rate', 'available'),
      limit: textOf(one, 'rate', 'limit'),
      calls: textOf(one, 'rate', 'calls_per_second'),
    }))
    .sort((a, b) => Number(b.circuit === 'open') - Number(a.circuit === 'open') || b.pending - a.pending);

function Lines({ lines }: { readonly lines: readonly Line[] }) {
  const { route } = useLocation();
  if (lines.length === 0)
    return (
      <div class="card">
        <State icon="target" title="No destination yet">
          There is nothing to push to.
        </State>
      </div>
    );
  return (
    <Table
      label="Destinations"
      columns={columns}
      length={lines.length}
      rowAt={(index) => lines[index]}
      onOpen={({ type, name }) => route(`/ui/destinations/${encodeURIComponent(type)}/${encodeURIComponent(name)}`)}
      footer={<span>{counted(lines.length, 'destination')}</span>}
    />
  );
}

const circuits: Readonly<Record<string, Look>> = {
  closed: { word: 'Closed', tone: 'ok', icon: 'done' },
  'half-open': { word: 'Being probed', tone: 'warn', icon: 'search' },
  open: { word: 'Open', tone: 'fail', icon: 'cloud' },
};

const columns: readonly Column<Line>[] = [
  {
    name: 'Circuit',
    width: '8.5rem',
    cell: ({ circuit, openUntil }) => (
      <>
        <Badge {...(circuits[circuit] ?? { word: 'Unknown', tone: 'off', icon: 'question' })} />
        {openUntil === '' ? null : (
          <span class="under">
            tried <Time at={openUntil} />
          </span>
        )}
      </>
    ),
  },
  {
    name: 'Destination',
    width: 'minmax(0, 1fr)',
    cell: ({ name, type, pending }) => (
      <>
        <span title={name}>{name}</span>
        <span class="under">
          <span class="narrow-only">{count(pending)} waiting</span>
          {type}
        </span>
      </>
    ),
  },
  {
    name: 'Waiting',
    width: '9rem',
    wideOnly: true,
    cell: ({ pending, since }) => (
      <>
        <span class="numbers">{count(pending)}</span>
        {since === '' ? null : (
          <span class="under">
            since <Time at={since} />
          </span>
        )}
      </>
    ),
  },
  {
    name: 'Calls left',
    width: '11rem',
    wideOnly: true,
    cell: ({ available, limit, calls }) => (
      <>
        <span class="numbers">{available === '' ? '–' : count(Number(available))}</span>
        {limit === '' ? null : (
          <span class="under">
            {count(Number(limit))} of {count(Number(calls))} a second
          </span>
        )}
      </>
    ),
  },
];
