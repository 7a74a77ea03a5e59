import { count } from '../../parts/relative.ts';
import { failed } from '../../parts/words.ts';
import { type Place, sumOf } from './numbers.ts';

const shownMax = 8;

/** The destinations with most failures, then the largest. */
export function Places({ places }: { readonly places: readonly Place[] }) {
  const order = places.toSorted((a, b) => sumOf(b.counts, failed) - sumOf(a.counts, failed) || b.total - a.total);
  return (
    <section class="card" aria-label="Destinations">
      <header>
        <h2>Destinations</h2>
        <a href="/ui/destinations">{places.length > shownMax ? `All ${count(places.length)}` : 'All'}</a>
      </header>
      <ul class="list">
        {order.slice(0, shownMax).map((place) => (
          <li key={`${place.type}/${place.name}`}>
            <a
              href={`/ui/destinations/${encodeURIComponent(place.type)}/${encodeURIComponent(place.name)}`}
              class="wrap"
            >
              {place.name}
            </a>
            <span class="quiet"> {place.type}</span>
            <Shares counts={place.counts} total={place.total} />
          </li>
        ))}
      </ul>
    </section>
  );
}

interface SharesProps {
  readonly counts: Readonly<Record<string, number>>;
  readonly total: number;
}

/** How much of a destination is synced, waits and failed, as a bar and in words. */
export function Shares({ counts, total }: SharesProps) {
  const parts = [
    ['ok', counts['SYNCED'] ?? 0, 'synced'],
    ['wait', counts['PENDING'] ?? 0, 'pending'],
    ['fail', sumOf(counts, failed), 'failed'],
    ['off', (counts['UNSYNCED'] ?? 0) + (counts['UNKNOWN'] ?? 0), 'removed'],
  ] as const;
  const there = parts.filter(([, value]) => value > 0);
  return (
    <div>
      <div class="bar" aria-hidden="true">
        {there.map(([tone, value]) => (
          <span key={tone} class={tone} style={{ width: `${(value / Math.max(1, total)) * 100}%` }} />
        ))}
      </div>
      <span class="quiet numbers">
        {there.length === 0 ? 'no records' : there.map(([, value, word]) => `${count(value)} ${word}`).join(', ')}
      </span>
    </div>
  );
}
