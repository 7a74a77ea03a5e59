import { z } from 'zod';
import type { Granularity } from '#destinations/contract.ts';
import { jsonOf, type Kind, oneOf } from '#store/sql/kinds.ts';
import { destinationsTable } from '#store/tables/sync.ts';
import { driftActions } from './drift.ts';

export const networkShape = z.strictObject({
  disable_strict_networking: z.boolean(),
  allowed_ipv4_addresses: z.array(z.string()).readonly(),
  allowed_ipv6_addresses: z.array(z.string()).readonly(),
  allowed_ports: z.array(z.number()).readonly(),
});

/** Which parts of the network a destination may reach, as its fields say. */
export type DestinationNetwork = Readonly<z.infer<typeof networkShape>>;

const granularity: Kind<Granularity> = oneOf('secret-path', 'secret-key');

/** The columns of destinations, with the shape of their network. */
export const destinationColumns = {
  ...destinationsTable,
  granularity,
  on_drift: oneOf(...driftActions),
  network: jsonOf<DestinationNetwork>(networkShape),
};
