import { memberOf, textOf, type Value } from '#client/wire/json.ts';
import { Badge } from '../../parts/badge.tsx';
import { counted } from '../../parts/relative.ts';
import { Time } from '../../parts/time.tsx';
import type { Look } from '../../parts/words.ts';
import { listIn } from '../../table/pages.ts';

/** The workers of a type, and what waits for them. */
export interface Workers {
  readonly type: string;
  /** Within the last minute. */
  readonly seen: number;
  /** Empty if none was for long. */
  readonly lastSeenAt: string;
  readonly waiting: number;
}

/** Undefined while Redis is away, and from a server that does not say. */
export function workersOf(overview: Value): readonly Workers[] | undefined {
  if (memberOf(overview, 'workers') === undefined) return undefined;
  const places = listIn(overview, 'destinations');
  return listIn(overview, 'workers').map((one) => {
    const type = textOf(one, 'type');
    const own = places.filter((place) => textOf(place, 'type') === type);
    return {
      type,
      seen: Number(textOf(one, 'seen') || 0),
      lastSeenAt: textOf(one, 'last_seen_at'),
      waiting: own.reduce<number>((sum, place) => sum + Number(textOf(place, 'counts', 'PENDING') || 0), 0),
    };
  });
}

/** Work waits, and no worker was seen. */
export const isMissing = ({ seen, waiting }: Workers): boolean => seen === 0 && waiting > 0;

/** Which types have workers. A worker is seen when it takes jobs. */
export function WorkerList({ workers }: { readonly workers: readonly Workers[] }) {
  if (workers.length === 0) return null;
  const order = workers.toSorted((a, b) => Number(isMissing(b)) - Number(isMissing(a)) || b.waiting - a.waiting);
  return (
    <section class="card" aria-label="Workers">
      <header>
        <h2>Workers</h2>
      </header>
      <ul class="list">
        {order.map((one) => (
          <li key={one.type} class="need">
            <div class="what">
              <Badge {...lookOf(one)} />
              <span class="wrap">{one.type}</span>
              {one.waiting === 0 ? null : <span class="quiet">{counted(one.waiting, 'change')} waiting</span>}
            </div>
            <span class="quiet">
              {one.seen > 0 || one.lastSeenAt === '' ? null : (
                <>
                  last seen <Time at={one.lastSeenAt} />
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function lookOf(workers: Workers): Look {
  if (workers.seen > 0) return { word: counted(workers.seen, 'worker'), tone: 'ok', icon: 'done' };
  return isMissing(workers)
    ? { word: 'No worker', tone: 'fail', icon: 'alert' }
    : { word: 'None seen', tone: 'off', icon: 'dash' };
}
