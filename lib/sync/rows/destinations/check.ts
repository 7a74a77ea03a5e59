import { randomBase62 } from '#core/ids.ts';
import type { DestinationDefinition } from '#destinations/contract.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { type Fields, pathText } from '#path/fields.ts';
import { askWorker } from '../../ask/ask.ts';
import { reportOf } from '../../ask/question.ts';
import { templateOf } from '../../template/naming.ts';
import { prefixOf } from '../../template/prefix.ts';
import { asMerge } from '../fields/forms.ts';
import { unmask } from '../fields/mask.ts';
import type { SyncParts } from '../parts.ts';
import { commonFields, mergeFields } from './fields.ts';
import { judged } from './guard/judged.ts';
import { refusesUnprotected } from './guard/protection.ts';
import { merged, replaced } from './merge.ts';
import { type DestinationValues, loadDestination } from './store.ts';

type Given = Readonly<Record<string, unknown>>;
type Values = Omit<DestinationValues, 'name'>;

/** The row `sys/sync/destinations/<type>/:name/check` of one type. */
export function checkRow(parts: SyncParts, definition: DestinationDefinition): Row {
  const name = { name: pathText('Name of the destination') };
  const own: Fields = { ...commonFields(definition), ...definition.fields };
  return {
    pattern: `sync/destinations/${definition.type}/:name/check`,
    help: `Checks a destination in ${definition.title} step by step: the address, the login, each permission, the clock. A worker of the type does it by reading calls only and stores nothing.`,
    operations: {
      read: operation(name, {
        summary: 'Check a destination as it is stored',
        async run(input, context) {
          const record = await loadDestination(parts.store, parts.store.db, keyOf(definition, input.name, context));
          return record === undefined ? undefined : check(parts, definition, record, context);
        },
      }),
      write: operation(
        { ...asMerge(own), ...mergeFields(definition), ...name },
        {
          summary: 'Check a destination with fields that are not stored yet',
          refuses: refusesUnprotected(definition),
          run: async (input, context) =>
            check(parts, definition, await wantedOf(parts, definition, own, input, context), context),
        },
      ),
    },
  };
}

const keyOf = ({ type }: DestinationDefinition, name: string, { namespace }: RequestContext) => ({
  namespace_id: namespace.id,
  type,
  name,
});

/** The given fields over the stored ones, by the rules of a write. A destination that does not exist has none stored. */
async function wantedOf(
  parts: SyncParts,
  definition: DestinationDefinition,
  own: Fields,
  input: Given,
  context: RequestContext,
): Promise<Values> {
  const key = keyOf(definition, String(input['name']), context);
  return parts.store.transaction(async (tx) => {
    const before = await loadDestination(parts.store, tx, key);
    const given = unmask(definition, input, before?.connection);
    const wanted = before === undefined ? replaced(own, before, given) : merged(definition, own, before, given);
    return judged(parts, definition, { tx, namespaceId: key.namespace_id, before, wanted, input });
  });
}

async function check(parts: SyncParts, definition: DestinationDefinition, values: Values, context: RequestContext) {
  const prefix = prefixOf(templateOf(definition, values.template, values.granularity));
  const probe = probeName(definition, prefix);
  const { connection, network } = values;
  const question = { kind: 'check' as const, namespaceId: context.namespace.id, connection, network, probe };
  return { data: reportOf(await askWorker(parts, definition.type, question, context.signal)) };
}

/** Begins like the names of the template, because the credentials may be limited to names with its prefix. */
function probeName({ names }: DestinationDefinition, prefix: string): string {
  const own = `keyferry-check-${randomBase62(12)}`;
  const name = names.normalise(`${prefix}${own}`);
  return names.refuse(name) === undefined ? name : names.normalise(own);
}
