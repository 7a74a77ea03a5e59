import { sql } from 'kysely';
import { isRoot, type Namespace } from '#core/namespace.ts';
import { accepted, operation, type Row } from '#path/contract/row.ts';
import { listNames, type Page, pageFields } from '#path/listing.ts';
import { text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { tidyTokens } from '../tidy/tidy.ts';
import type { RowParts } from './given.ts';

/** `accessors/` and `tidy`, which concern all tokens. */
export const storeRows = (parts: RowParts): readonly Row[] => [
  {
    pattern: 'accessors/',
    help: 'Lists the accessors of all tokens. An accessor is enough to revoke its token.',
    operations: {
      list: operation(pageFields, {
        summary: 'List accessors',
        sudo: true,
        run: (page, { namespace }) => listNames(page, (part) => accessors(parts.store, namespace, part)),
      }),
    },
  },
  {
    pattern: 'tidy',
    help: 'Removes inconsistent tokens in the background.',
    operations: {
      write: operation(
        {},
        {
          summary: 'Tidy tokens',
          knownFieldsOnly: true,
          replies: accepted,
          run: (_input, { namespace }) => tidyTokens(parts, namespace.id),
        },
      ),
    },
  },
];

/** Two indexes serve the query: one for the root, and one for all other namespaces. */
async function accessors({ db }: Store, namespace: Namespace, { after, limit }: Page): Promise<readonly string[]> {
  const own = isRoot(namespace)
    ? sql`namespace_id = 'root'`
    : sql`namespace_id = ${namespace.id} and namespace_id <> 'root'`;
  const { rows } = await rowsOf({ accessor: text })`
    select accessor from tokens
     where ${own} and accessor > ${after} and (expire_at is null or expire_at > now()) and num_uses >= 0
       and revoked_at is null
     order by accessor limit ${limit}`.execute(db);
  return rows.map(({ accessor }) => accessor);
}
