import { StatusBadge } from '../../parts/badge.tsx';
import { Time } from '../../parts/time.tsx';
import { kindWord } from '../../parts/words.ts';
import type { Column } from '../../table/table.tsx';
import type { SyncRecord } from './record.ts';

/** What a row of the list shows of a record. */
export const columns: readonly Column<SyncRecord>[] = [
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
          {error === undefined ? (
            <span class="narrow-only">
              {type}/{destination}
            </span>
          ) : (
            kindWord(error.kind)
          )}
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
