import { Badge } from '#ui/parts/badge.tsx';
import { count } from '#ui/parts/relative.ts';
import { Time } from '#ui/parts/time.tsx';
import { failed } from '#ui/parts/words.ts';
import { type Place, sumOf } from '../overview/numbers.ts';

/** What a destination as a whole is like. */
export function Health({ place }: { readonly place: Place }) {
  if (place.purgeError !== '') return <Badge tone="fail" icon="alert" word="Purge failed" />;
  if (place.purgingSince !== '') return <Badge tone="off" icon="clock" word="Being removed" />;
  if (place.isPaused) return <Badge tone="off" icon="pause" word="Paused" />;
  if (place.circuit === 'open') return <Badge tone="fail" icon="cloud" word="Unreachable" />;
  if (place.circuit === 'half-open') return <Badge tone="warn" icon="cloud" word="Being probed" />;
  if (sumOf(place.counts, failed) > 0) return <Badge tone="warn" icon="alert" word="Some failed" />;
  if ((place.counts['PENDING'] ?? 0) > 0) return <Badge tone="wait" icon="clock" word="Working" />;
  return <Badge tone="ok" icon="done" word="Healthy" />;
}

/** The health of a destination and its rate, as facts. */
export const HealthFacts = ({ place }: { readonly place: Place }) => (
  <>
    <dt>Health</dt>
    <dd>
      <Health place={place} />
      {place.openUntil === '' ? null : (
        <span class="quiet">
          {' '}
          tried again <Time at={place.openUntil} />
        </span>
      )}
    </dd>
    {place.rate === undefined ? null : (
      <>
        <dt>Rate</dt>
        <dd class="numbers">
          {rateText(place.rate)}
          <span class="quiet"> · {count(place.rate.available)} calls left now</span>
        </dd>
      </>
    )}
  </>
);

/** What the account allows, beside the published limit of the provider. */
export const rateText = ({ limit, perSecond }: NonNullable<Place['rate']>): string =>
  limit === perSecond
    ? `${count(perSecond)} a second, the limit of the provider`
    : `${count(limit)} of ${count(perSecond)} a second, the limit of the provider`;
