import { holds, parseBlock } from '../../../../network/addresses.ts';
import type { DestinationNetwork } from '../tables.ts';

/** Open without being named (specification, sync document 4.3). */
const publicPorts: readonly number[] = [80, 443];

/** The fields by which a destination may reach more than before. What only narrows is not among them. */
export function opened(before: DestinationNetwork, after: DestinationNetwork): readonly string[] {
  if (before.disable_strict_networking) return [];
  const fields: readonly (readonly [string, boolean])[] = [
    ['disable_strict_networking', after.disable_strict_networking],
    ['allowed_ipv4_addresses', opensBlocks(before.allowed_ipv4_addresses, after.allowed_ipv4_addresses)],
    ['allowed_ipv6_addresses', opensBlocks(before.allowed_ipv6_addresses, after.allowed_ipv6_addresses)],
    ['allowed_ports', opensPorts(before.allowed_ports, after.allowed_ports)],
  ];
  return fields.filter(([, opens]) => opens).map(([name]) => name);
}

const opensBlocks = (before: readonly string[], after: readonly string[]): boolean =>
  after.some((block) => !before.some((known) => known === block || covers(known, block)));

/** Whether the one block has every address of the other. */
function covers(known: string, block: string): boolean {
  const [outer, inner] = [parseBlock(known), parseBlock(block)];
  if (outer === undefined || inner === undefined) return false;
  return outer[1] <= inner[1] && holds(outer, inner[0].toString());
}

const opensPorts = (before: readonly number[], after: readonly number[]): boolean =>
  after.some((port) => !publicPorts.includes(port) && !before.includes(port));
