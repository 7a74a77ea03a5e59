import type { DestinationDefinition } from '#destinations/contract.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { statusName } from '#path/vocabulary.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { storedTypeIn } from '../../model/definition.ts';
import { toStatus } from '../../model/status.ts';
import { asMarked, type ListedRecord, listedRecordColumns, selectRecord } from '../../records/record.ts';
import { mayReadAssociations } from '../rights/readable.ts';

interface Parts {
  readonly store: Pick<Store, 'db'>;
  readonly definitions: readonly DestinationDefinition[];
}

/** Destinations of one secret that are named. */
const shownMax = 500;

/**
 * The copies of a secret, for the plan of its deletion. Those at destinations whose associations the caller may not read are counted
 * only: who may delete the secret may know that copies go with it.
 */
export async function copiesOf(parts: Parts, mountId: string, secretName: string, context: RequestContext) {
  const { definitions } = parts;
  const records = await recordsOf(parts, mountId, secretName, context.namespace.id);
  const copies: object[] = [];
  for (const record of records.slice(0, shownMax))
    if (await mayReadAssociations(context, { type: record.type, name: record.destination_name }))
      copies.push({
        destination: {
          type: storedTypeIn(definitions, record.type, context.vocabulary),
          name: record.destination_name,
        },
        external_names: record.records.map(({ external_name }) => external_name).filter((name) => name !== ''),
        status: statusName(toStatus(record.status), context.vocabulary),
        rule: record.rule_name,
      });
  return { copies, total: records.length, hidden: records.length - copies.length };
}

const countedMax = 10_000;

async function recordsOf(
  { store }: Parts,
  mountId: string,
  secretName: string,
  namespaceId: string,
): Promise<readonly ListedRecord[]> {
  const { rows } = await rowsOf(listedRecordColumns)`
    select ${selectRecord} from associations a join destinations d on d.id = a.destination_id
     where a.mount_id = ${mountId}::uuid and a.secret_name = ${secretName} and a.desired = 'present'
       and d.namespace_id = ${namespaceId}
     order by d.type, d.name limit ${countedMax}::int`.execute(store.db);
  return rows.map(asMarked);
}
