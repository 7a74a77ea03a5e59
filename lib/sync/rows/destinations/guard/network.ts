import { badRequest } from '../../../../core/errors.ts';
import { covers, parseBlock } from '../../../../network/addresses.ts';
import { admitsBlock, admitsPort, boundsSetting, type NetworkBounds, publicPorts } from '../../../../network/bounds.ts';
import type { DestinationNetwork } from '../tables.ts';

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
  after.some((block) => !before.some((known) => known === block || coversText(known, block)));

function coversText(known: string, block: string): boolean {
  const [outer, inner] = [parseBlock(known), parseBlock(block)];
  return outer !== undefined && inner !== undefined && covers(outer, inner);
}

const opensPorts = (before: readonly number[], after: readonly number[]): boolean =>
  after.some((port) => !publicPorts.includes(port) && !before.includes(port));

type Given = Readonly<Record<string, unknown>>;

/**
 * What the request does not name is not asked for: a destination that was stored with more than the server now lets it open
 * can still be changed. Its calls are refused when they are made.
 *
 * @throws AppError `bad-request` naming what the request opens beyond the bounds of the server, and the setting
 */
export function mustBeOpenable(bounds: NetworkBounds, request: Given, after: DestinationNetwork): void {
  const isNamed = ([field]: readonly [string, unknown]) => request[field] !== undefined;
  const beyond = asked(bounds, after).filter(isNamed);
  if (beyond.length === 0) return;
  const what = beyond.map(([field, value]) => `${field} ${value}`).join(', ');
  throw badRequest(`${what}: ${boundsSetting} of the server does not let destinations open this`);
}

function asked(bounds: NetworkBounds, network: DestinationNetwork): readonly (readonly [string, string])[] {
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
