import { sql } from 'kysely';
import { isRoot, type Namespace } from '../../../core/namespace.ts';
import type { Reply } from '../../../path/contract/reply.ts';
import { operation, type Row } from '../../../path/contract/row.ts';
import type { Store } from '../../../store/store.ts';
import { startTidy } from '../tidy/tidy.ts';
import type { RowParts } from './given.ts';
import { listed, type Page, pageFields } from './paging.ts';

/** `accessors/` and `tidy`: what is about all tokens. */
export const storeRows = (parts: RowParts): readonly Row[] => [
  {
    pattern: 'accessors/',
    help: 'Lists the accessors of all tokens. Who has one can revoke its token.',
    operations: {
      list: operation(pageFields, {
        summary: 'List accessors',
        sudo: true,
        run: (page, { namespace }) =>
          listed(page, (after, limit) => accessors(parts.store, namespace, { after, limit })),
      }),
    },
  },
  {
    pattern: 'tidy',
    help: 'Removes tokens that should not be there, in the background.',
    operations: {
      write: operation(
        {},
        { summary: 'Tidy the tokens', knownFieldsOnly: true, run: (_input, { namespace }) => tidy(parts, namespace) },
      ),
    },
  },
];

async function tidy(parts: RowParts, { id }: Namespace): Promise<Reply> {
  const started = await startTidy(parts, id);
  return { status: 202, warnings: [started ? startedText : 'Tidy operation already in progress.'] };
}

const startedText =
  "Tidy operation successfully started. Any information from the operation will be printed to the server's log.";

/** The index of accessors by namespace leaves the root out, whose tokens are found by the other one. */
async function accessors({ db }: Store, namespace: Namespace, { after, limit }: Page): Promise<readonly string[]> {
  const own = isRoot(namespace)
    ? sql`namespace_id = 'root'`
    : sql`namespace_id = ${namespace.id} and namespace_id <> 'root'`;
  const { rows } = await sql<{ accessor: string }>`
    select accessor from tokens
     where ${own} and accessor > ${after} and (expire_at is null or expire_at > now()) and num_uses >= 0
       and revoked_at is null
     order by accessor limit ${limit}`.execute(db);
  return rows.map(({ accessor }) => accessor);
}
