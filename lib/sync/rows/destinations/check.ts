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
import type { SyncParts } from '../parts.ts';
import { commonFields, mergeFields } from './fields.ts';
import { refusesUnprotected } from './guard/protection.ts';
import { loadDestination } from './store.ts';
import { keyOf, type Values, wantedOf } from './unstored.ts';

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

async function check(parts: SyncParts, definition: DestinationDefinition, values: Values, context: RequestContext) {
  const prefix = prefixOf(templateOf(definition, values.template, values.granularity));
  const probe = probeName(definition, prefix);
  const { connection, network, rateGroup } = values;
  const asked = { namespaceId: context.namespace.id, connection, network, rateGroup };
  const question = { kind: 'check' as const, ...asked, probe };
  return { data: reportOf(await askWorker(parts, definition.type, question, context.signal)) };
}

/** Begins like the names of the template, because the credentials may be limited to names with its prefix. */
function probeName({ names }: DestinationDefinition, prefix: string): string {
  const own = `keyferry-check-${randomBase62(12)}`;
  const name = names.normalise(`${prefix}${own}`);
  return names.refuse(name) === undefined ? name : names.normalise(own);
}
