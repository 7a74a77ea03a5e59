import { memberOf, textOf, type Value } from '#client/wire/json.ts';
import { attempts, flow, Samples, waiting } from '../../chart/samples.tsx';
import { LinkButton } from '../../parts/button.tsx';
import { counted } from '../../parts/relative.ts';
import { Answer, State } from '../../parts/states.tsx';
import { failed } from '../../parts/words.ts';
import { useOverview } from '../../state/overview.ts';
import { useTitle } from '../../state/use-title.ts';
import { Needs } from './needs.tsx';
import { useNewRefusal } from './new-refusal.ts';
import { countsOf, needsOf, placesOf, sumOf } from './numbers.ts';
import { Pause, PauseBanner } from './pause.tsx';
import { Places } from './places.tsx';
import { Tile } from './tile.tsx';

export function Overview() {
  useTitle('Overview');
  const asked = useOverview();
  const isPaused = memberOf(asked.reply?.data, 'disabled') === true;
  return (
    <>
      <div class="head">
        <div>
          <h1>Overview</h1>
          <p>What needs you, and how all syncs are.</p>
        </div>
        <div class="actions">{asked.reply === undefined || isPaused ? null : <Pause />}</div>
      </div>
      {isPaused ? <PauseBanner /> : null}
      <Answer asked={asked}>{({ data }) => <Numbers overview={data ?? null} />}</Answer>
    </>
  );
}

function Numbers({ overview }: { readonly overview: Value }) {
  const places = placesOf(overview);
  if (places.length === 0) return <Start />;
  const needs = needsOf(overview);
  return (
    <>
      <Tiles overview={overview} />
      <div class="split">
        <Needs needs={needs} />
        <Places places={places} />
      </div>
      <Samples charts={[flow, attempts, waiting]} />
    </>
  );
}

function Start() {
  const refusal = useNewRefusal();
  return (
    <div class="card">
      <State
        icon="target"
        title="No destination yet"
        actions={
          <LinkButton href="/ui/destinations/new" look="primary" icon="plus" refusal={refusal}>
            New destination
          </LinkButton>
        }
      >
        A destination is an external system to which secrets are copied. Create one, then associate secrets with it.
      </State>
    </div>
  );
}

function Tiles({ overview }: { readonly overview: Value }) {
  const counts = countsOf(memberOf(overview, 'counts'));
  const queue = memberOf(overview, 'queue');
  const broken = sumOf(counts, failed);
  const since = textOf(overview, 'pending_since');
  return (
    <div class="tiles">
      <Tile
        name="Failed"
        icon="alert"
        value={broken}
        tone={broken > 0 ? 'fail' : 'ok'}
        href={`/ui/records?status=${failed.join(',')}`}
        more={broken === 0 ? 'Nothing failed' : 'See which'}
      />
      <Tile
        name="Pending"
        icon="clock"
        value={counts['PENDING'] ?? 0}
        tone="wait"
        href="/ui/records?status=PENDING"
        since={since}
        more="Nothing waits"
      />
      <Tile
        name="Synced"
        icon="done"
        value={counts['SYNCED'] ?? 0}
        tone="ok"
        href="/ui/records?status=SYNCED"
        more={shareOf(counts['SYNCED'] ?? 0, Number(textOf(overview, 'total')))}
      />
      <Queue queue={queue} />
    </div>
  );
}

const shareOf = (part: number, total: number): string =>
  total === 0
    ? 'of none'
    : `${new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 }).format(part / total)} of all`;

/** Only the root namespace shows the queue, which is that of all. */
function Queue({ queue }: { readonly queue: Value | undefined }) {
  if (queue === undefined) return null;
  const pending = textOf(queue, 'pending');
  const capacity = Number(textOf(queue, 'capacity'));
  if (pending === '') return <Tile name="Queue" icon="layers" value="–" more="Redis is away" tone="fail" />;
  const isFull = Number(pending) >= capacity;
  return (
    <Tile
      name="Queue"
      icon="stack"
      href="/ui/queue"
      value={Number(pending)}
      tone={isFull ? 'fail' : undefined}
      more={isFull ? 'Full: associations are refused' : `Room for ${counted(capacity, 'operation')}`}
    />
  );
}
