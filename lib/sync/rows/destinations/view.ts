import type { DestinationDefinition, Granularity } from '#destinations/contract.ts';
import type { Vocabulary } from '#path/contract/request.ts';
import { typeIn } from '../../model/definition.ts';
import type { DestinationNetwork } from '../../model/destination-network.ts';
import type { DriftAction } from '../../model/drift.ts';
import type { Pause } from '../../model/pause.ts';
import { templateOf } from '../../template/naming.ts';
import { maskedConnection } from '../fields/mask.ts';

/** A destination, unsealed. */
export interface DestinationRecord {
  readonly id: string;
  readonly name: string;
  /** Grows with each change of its settings. */
  readonly revision: number;
  readonly connection: Readonly<Record<string, unknown>>;
  readonly granularity: Granularity;
  readonly template: string | null;
  readonly tags: Readonly<Record<string, string>>;
  readonly network: DestinationNetwork;
  readonly adopt: boolean;
  readonly rateGroup: string | null;
  readonly onDrift: DriftAction;
  readonly pause: Pause;
  readonly purgeInitiatedAt: Date | null;
  readonly purgeError: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A destination as reads show it. */
export function destinationView(
  definition: DestinationDefinition,
  record: DestinationRecord,
  vocabulary: Vocabulary,
): object {
  return {
    type: typeIn(definition, vocabulary),
    name: record.name,
    connection_details: { ...maskedConnection(definition, record.connection), ...shownNetwork(record.network) },
    options: {
      granularity_level: record.granularity,
      secret_name_template: templateOf(definition, record.template, record.granularity),
      custom_tags: record.tags,
      ...(record.adopt ? { adopt: true } : {}),
      ...(record.rateGroup === null ? {} : { rate_group: record.rateGroup }),
    },
    on_drift: record.onDrift,
    disabled: record.pause.disabled,
    ...(record.pause.until === null ? {} : { disabled_until: record.pause.until.toISOString() }),
    ...(record.purgeInitiatedAt === null ? {} : { purge_initiated_at: record.purgeInitiatedAt.toISOString() }),
    ...(record.purgeError === null ? {} : { purge_error: record.purgeError }),
  };
}

/** The network fields that are set: existing clients expect the others to be absent. */
function shownNetwork(network: DestinationNetwork): object {
  const set = Object.entries(network).filter(
    ([, value]) => value === true || (Array.isArray(value) && value.length > 0),
  );
  return Object.fromEntries(set);
}
