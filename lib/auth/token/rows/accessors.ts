import { sql } from 'kysely';
import { operation, type Reply, type Row } from '../../../path/row.ts';
import type { Store } from '../../../store/store.ts';
import { listed, pageFields } from '../paging.ts';
import { startTidy } from '../tidy/tidy.ts';
import type { RowParts } from './given.ts';

/** `accessors/` and `tidy`: what is about all tokens. */
export const storeRows = (parts: RowParts): readonly Row[] => [
  {
    pattern: 'accessors/',
    help: 'Lists the accessors of all tokens. Who has one can revoke its token.',
    operations: {
      list: operation(pageFields, {
        summary: 'List accessors',
        sudo: true,
        run: (page) => listed(page, (after, limit) => accessors(parts.store, after, limit)),
      }),
    },
  },
  {
    pattern: 'tidy',
    help: 'Removes tokens that should not be there, in the background.',
    operations: { write: operation({}, { summary: 'Tidy the tokens', run: () => tidy(parts) }) },
  },
];

async function tidy(parts: RowParts): Promise<Reply> {
  const started = await startTidy(parts);
  return { status: 202, warnings: [started ? startedText : 'Tidy operation already in progress.'] };
}

const startedText =
  "Tidy operation successfully started. Any information from the operation will be printed to the server's log.";

async function accessors({ db }: Store, after: string, limit: number): Promise<readonly string[]> {
  const { rows } = await sql<{ accessor: string }>`
    select accessor from tokens
     where accessor > ${after} and (expire_at is null or expire_at > now()) and num_uses >= 0 and revoked_at is null
     order by accessor limit ${limit}`.execute(db);
  return rows.map(({ accessor }) => accessor);
}
