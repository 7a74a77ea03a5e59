import { sync } from '../operations/sync.ts';
import { countsIn, destinationName, destinationsIn } from '../overview.ts';
import { isObject, memberOf, textOf, type Value } from '../wire/json.ts';
import { type Finding, failed, firstOf, passed, unanswered, warning } from './finding.ts';
import type { Installation } from './installation.ts';
import { driftFindings, pauseFindings, workerFindings } from './standing.ts';

/** A queue that is fuller may soon refuse operations. */
const fullShareMax = 0.8;
/** A change that waits longer has no worker, or a sick destination. In milliseconds. */
const waitMsMax = 5 * 60_000;

/** Whether syncs run, the queue has room, circuits are closed, and no sync has failed. */
export async function syncFindings({ look }: Installation): Promise<readonly Finding[]> {
  try {
    return overviewFindings(await look(sync.overview));
  } catch (error) {
    return unanswered('sync', error);
  }
}

/** What an overview tells. */
export const overviewFindings = (data: Value | undefined): readonly Finding[] => [
  isRunning(data),
  ...workerFindings(data),
  ...queueFindings(data),
  ...pauseFindings(data),
  ...circuitFindings(data),
  ...purgeFindings(data),
  ...driftFindings(data),
  failures(data),
];

const waiting = 'is a destination paused, and does a worker of its type run?';

function isRunning(overview: Value | undefined): Finding {
  if (memberOf(overview, 'disabled') === true) return warning('sync', 'disabled: changes wait', 'keyferry resume');
  const since = textOf(overview, 'pending_since');
  if (since !== '' && Date.now() - Date.parse(since) > waitMsMax)
    return warning('sync', `a change waits since ${since}: ${waiting}`, 'keyferry records list --status PENDING');
  return passed('sync', `${textOf(overview, 'total')} syncs`);
}

function queueFindings(overview: Value | undefined): readonly Finding[] {
  const queue = memberOf(overview, 'queue');
  if (!isObject(queue)) return [];
  if (queue['pending'] === null) return [failed('queue', 'Redis is unavailable', 'check Redis and REDIS_URL')];
  const [pending, capacity] = [Number(textOf(queue, 'pending')), Number(textOf(queue, 'capacity'))];
  const finding = `${pending} of ${capacity} operations wait`;
  if (pending < capacity * fullShareMax) return [passed('queue', finding)];
  return [warning('queue', finding, 'add workers, or raise queue_capacity of sys/sync/config')];
}

/** Lists all destinations that need attention. */
const attention = 'keyferry status -o json';

const circuitFindings = (overview: Value | undefined): readonly Finding[] =>
  firstOf(
    destinationsIn(overview)
      .filter((one) => ['open', 'half-open'].includes(textOf(one, 'circuit')))
      .map((one) =>
        failed(
          'circuit',
          `${destinationName(one)} is not called: it failed repeatedly`,
          `keyferry destinations check ${destinationName(one)}`,
        ),
      ),
    (others) => failed('circuit', `${others} more destinations are not called`, attention),
  );

const purgeFindings = (overview: Value | undefined): readonly Finding[] =>
  firstOf(
    destinationsIn(overview)
      .filter((one) => textOf(one, 'purge_error') !== '')
      .map((one) =>
        failed(
          'purge',
          `${destinationName(one)}: ${textOf(one, 'purge_error')}`,
          `keyferry destinations check ${destinationName(one)}`,
        ),
      ),
    (others) => failed('purge', `the purge of ${others} more destinations failed`, attention),
  );

function failures(overview: Value | undefined): Finding {
  const counts = countsIn(overview, 'counts');
  const failing = Object.keys(counts).filter((status) => status.endsWith('_ERROR') && (counts[status] ?? 0) > 0);
  if (failing.length === 0) return passed('failures', 'no sync has failed');
  const finding = failing.map((status) => `${counts[status]} ${status}`).join(', ');
  return failed('failures', finding, `keyferry records list --status ${failing.join(',')}`);
}
