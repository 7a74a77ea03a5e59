import { systemClock } from '../../../lib/core/clock.ts';
import { silentLog } from '../../../lib/core/log.ts';
import type { DestinationDefinition, Driver, OpenDriver } from '../../../lib/destinations/contract.ts';
import { connect, type Stand } from '../../contract/support/stand.ts';

const timeouts = { connectMs: 10_000, requestMs: 10_000 };

/** A driver by a request body with other fields than those of the stand, as the worker opens it. */
export function openWith(
  definition: DestinationDefinition,
  openDriver: OpenDriver,
  { fake, policy: network }: Stand,
  fields: Readonly<Record<string, unknown>>,
): Driver {
  const connection = connect(definition, { ...fake.destination, ...fields });
  return openDriver(connection, { network, timeouts, clock: systemClock, log: silentLog, app: async () => undefined });
}
