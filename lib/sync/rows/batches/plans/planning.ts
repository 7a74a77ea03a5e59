import type { DestinationDefinition } from '#destinations/contract.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { askWorker } from '#sync/ask/ask.ts';
import { plannedOf } from '#sync/ask/question.ts';
import { type Planned, plannedActions } from '#sync/reconcile/plan/planned.ts';
import type { ListedRecord } from '#sync/records/record.ts';
import { templateOf } from '#sync/template/naming.ts';
import type { Values } from '../../destinations/unstored.ts';
import type { SyncParts } from '../../parts.ts';

/** What to plan at one destination. */
export interface Wanted {
  readonly definition: DestinationDefinition;
  readonly destination: { readonly id: string; readonly name: string; readonly revision: number };
  readonly values: Values;
  readonly records: readonly ListedRecord[];
  /** The plan is that of setting the associations again with the template and granularity of `values`. */
  readonly isSet?: boolean;
}

export interface PlannedPage {
  readonly planned: readonly Planned[];
  /** How many of the records are planned. */
  readonly done: number;
}

/** Asks a worker what a sync of these records would do. @throws AppError when it cannot be told */
export async function planOf(parts: SyncParts, wanted: Wanted, context: RequestContext): Promise<PlannedPage> {
  const { definition, destination, values, records } = wanted;
  if (records.length === 0) return { planned: [], done: 0 };
  const { connection, network, rateGroup, tags, adopt } = values;
  const set = setOf(wanted);
  const question = {
    kind: 'plan' as const,
    namespaceId: context.namespace.id,
    connection,
    network,
    rateGroup,
    tags,
    adopt,
    destinationId: destination.id,
    associations: records.map(({ id }) => id),
    ...(set && { set }),
  };
  return plannedOf(await askWorker(parts, definition.type, question, context.signal));
}

/** Undefined when the associations stay as they are. */
export const setOf = ({ definition, values, isSet = false }: Wanted) =>
  isSet
    ? {
        granularity: values.granularity,
        template: templateOf(definition, values.template, values.granularity),
      }
    : undefined;

/** An object as plans show it. */
export const objectView = ({
  kind,
  message,
  generation: _generation,
  version: _version,
  ...object
}: Planned): object => ({
  ...object,
  error: kind === undefined ? null : { kind, message },
});

/** How many objects have which action. */
export const countsOf = (planned: readonly Pick<Planned, 'action'>[]): Readonly<Record<string, number>> =>
  Object.fromEntries(plannedActions.map((action) => [action, planned.filter((one) => one.action === action).length]));
