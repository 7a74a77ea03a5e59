import { badField } from '#core/errors.ts';
import { covers, parseBlock } from '#network/addresses.ts';
import { admitsBlock, admitsPort, boundsSetting, type NetworkBounds, publicPorts } from '#network/bounds.ts';
import type { DestinationNetwork } from '#sync/model/destination-network.ts';

/** The fields that widen the network access of a destination. Fields that only narrow it are not included. */
export function widenedAccess(before: DestinationNetwork, after: DestinationNetwork): readonly string[] {
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
  after.some((block) => !before.some((known) => known === block || coversText(known, block)));

function coversText(known: string, block: string): boolean {
  const [outer, inner] = [parseBlock(known), parseBlock(block)];
  return outer !== undefined && inner !== undefined && covers(outer, inner);
}

const opensPorts = (before: readonly number[], after: readonly number[]): boolean =>
  after.some((port) => !publicPorts.includes(port) && !before.includes(port));

type Given = Readonly<Record<string, unknown>>;

/**
 * Checks only the fields that the request names, so that a destination stored with more access than the server now allows can
 * still be changed. Its calls are refused when they are made.
 *
 * @throws AppError `bad-request` naming the access beyond the bounds of the server, and the setting
 */
export function checkNetworkBounds(bounds: NetworkBounds, request: Given, after: DestinationNetwork): void {
  const isNamed = ([field]: readonly [string, unknown]) => request[field] !== undefined;
  const beyond = accessBeyond(bounds, after).filter(isNamed);
  if (beyond.length === 0) return;
  const what = beyond.map(([field, value]) => `${field} ${value}`).join(', ');
  const fields = [...new Set(beyond.map(([field]) => field))];
  throw badField(fields, `${what}: ${boundsSetting} of the server does not allow this to destinations`);
}

function accessBeyond(bounds: NetworkBounds, network: DestinationNetwork): readonly (readonly [string, string])[] {
  const blocks = (field: 'allowed_ipv4_addresses' | 'allowed_ipv6_addresses') =>
    network[field].filter((block) => !admitsBlock(bounds, block)).map((block) => [field, block] as const);
  return [
    ...(network.disable_strict_networking && !bounds.all ? [['disable_strict_networking', 'true'] as const] : []),
    ...blocks('allowed_ipv4_addresses'),
    ...blocks('allowed_ipv6_addresses'),
    ...network.allowed_ports
      .filter((port) => !admitsPort(bounds, port))
      .map((port) => ['allowed_ports', String(port)] as const),
  ];
}
