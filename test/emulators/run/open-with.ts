import { systemClock } from '#core/clock.ts';
import { silentLog } from '#core/log/log.ts';
import type { DestinationDefinition, Driver, OpenDriver } from '#destinations/contract.ts';
import { connect, type Stand } from '../../contract/support/stand.ts';
import { outsideWorker } from '../../support/outside-worker.ts';

const timeouts = { connectMs: 10_000, requestMs: 10_000 };

/** Opens a driver, as the worker does, from a request body with other fields than those of the stand. */
export function openWith(
  definition: DestinationDefinition,
  openDriver: OpenDriver,
  { fake, policy: network }: Stand,
  fields: Readonly<Record<string, unknown>>,
): Driver {
  const connection = connect(definition, { ...fake.destination, ...fields });
  const app = async () => undefined;
  return openDriver(connection, { network, timeouts, clock: systemClock, log: silentLog, app, ...outsideWorker });
}
