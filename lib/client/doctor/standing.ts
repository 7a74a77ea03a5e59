import { countsIn, destinationName, destinationsIn, type SeenWorkers, workersIn } from '../overview.ts';
import { memberOf, textOf, type Value } from '../wire/json.ts';
import { type Finding, failed, warning } from './finding.ts';

/** Types whose changes wait while no worker of theirs was seen. */
export function workerFindings(overview: Value | undefined): readonly Finding[] {
  const pending = new Map<string, number>();
  for (const destination of destinationsIn(overview)) {
    if (memberOf(destination, 'disabled') === true) continue;
    const count = countsIn(destination, 'counts')['PENDING'] ?? 0;
    if (count > 0) pending.set(textOf(destination, 'type'), (pending.get(textOf(destination, 'type')) ?? 0) + count);
  }
  return workersIn(overview).flatMap((workers) => {
    const count = pending.get(workers.type) ?? 0;
    return workers.seen > 0 || count === 0 ? [] : [notSeen(workers, count)];
  });
}

function notSeen({ type, lastSeenAt }: SeenWorkers, count: number): Finding {
  const since = lastSeenAt === '' ? 'no worker of this type was seen' : `no worker was seen since ${lastSeenAt}`;
  return failed('workers', `${type}: ${count} syncs wait, and ${since}`, `start a process sync-${type}`);
}

/** Destinations that a finding names. */
const namedMax = 5;

/** Destinations whose changes wait because someone has paused them. */
export function pauseFindings(overview: Value | undefined): readonly Finding[] {
  const paused = destinationsIn(overview).filter((one) => memberOf(one, 'disabled') === true);
  const [first] = paused;
  if (first === undefined) return [];
  const more = paused.length > namedMax ? ` and ${paused.length - namedMax} more` : '';
  const finding = `paused: ${paused.slice(0, namedMax).map(withEnd).join(', ')}${more}`;
  return [warning('pauses', finding, `keyferry resume ${destinationName(first)}`)];
}

function withEnd(destination: Value): string {
  const until = textOf(destination, 'disabled_until');
  return `${destinationName(destination)}${until === '' ? '' : ` until ${until}`}`;
}

/** Copies that were changed or removed behind the sync. */
export function driftFindings(overview: Value | undefined): readonly Finding[] {
  const drifted = Number(textOf(overview, 'drifted'));
  if (!(drifted > 0)) return [];
  const finding = `${drifted} syncs have copies that others changed or removed`;
  return [warning('drift', finding, 'keyferry records list --drift any')];
}
