import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * The class of an IP address. `rule` describes it: `10.0.0.0/8 (private use)`; undefined for an ordinary public address. `family`
 * and `text` describe the address that packets really go to, so `::ffff:10.0.0.1` is `10.0.0.1`.
 */
export interface AddressKind {
  readonly family: 4 | 6;
  readonly text: string;
  readonly rule: string | undefined;
}

/** A parsed CIDR block. Host bits are tolerated: `10.0.100.1/24` is `10.0.100.0/24`. */
export type Block = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/**
 * The IANA special-purpose registries (https://www.iana.org/assignments/iana-ipv4-special-registry and -ipv6-), multicast,
 * reserved space and transition mechanisms. Entries that the registries call globally reachable (AS112, AMT, anycast
 * of IETF protocols) are refused too, because no secret store uses them.
 */
const special4: readonly (readonly [string, string])[] = [
  ['0.0.0.0/8', 'this network'],
  ['10.0.0.0/8', 'private use'],
  ['100.64.0.0/10', 'shared address space'],
  ['127.0.0.0/8', 'loopback'],
  ['168.63.129.16/32', 'platform endpoint of a cloud'],
  ['169.254.0.0/16', 'link local, cloud metadata'],
  ['172.16.0.0/12', 'private use'],
  ['192.0.0.0/24', 'IETF protocol assignments'],
  ['192.0.2.0/24', 'documentation'],
  ['192.31.196.0/24', 'AS112'],
  ['192.52.193.0/24', 'AMT'],
  ['192.88.99.0/24', '6to4 relay'],
  ['192.168.0.0/16', 'private use'],
  ['192.175.48.0/24', 'AS112'],
  ['198.18.0.0/15', 'benchmarking'],
  ['198.51.100.0/24', 'documentation'],
  ['203.0.113.0/24', 'documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['255.255.255.255/32', 'broadcast'],
  ['240.0.0.0/4', 'reserved'],
];

const special6: readonly (readonly [string, string])[] = [
  ['::/128', 'unspecified'],
  ['::1/128', 'loopback'],
  ['::/96', 'IPv4-compatible'],
  ['::ffff:0:0:0/96', 'IPv4-translated'],
  ['64:ff9b:1::/48', 'local-use translation'],
  ['100::/64', 'discard only'],
  ['100:0:0:1::/64', 'dummy prefix'],
  ['2001::/32', 'Teredo'],
  ['2001::/23', 'IETF protocol assignments'],
  ['2001:db8::/32', 'documentation'],
  ['2002::/16', '6to4'],
  ['2620:4f:8000::/48', 'AS112'],
  ['3fff::/20', 'documentation'],
  ['5f00::/16', 'segment routing'],
  ['fc00::/7', 'unique local'],
  ['fe80::/10', 'link local'],
  ['fec0::/10', 'site local'],
  ['ff00::/8', 'multicast'],
];

const parsed = (table: typeof special4) => table.map(([cidr, use]) => ({ cidr, use, block: ipaddr.parseCIDR(cidr) }));
const tables = { 4: parsed(special4), 6: parsed(special6) };
const globalUnicast = ipaddr.parseCIDR('2000::/3');
const nat64 = ipaddr.parseCIDR('64:ff9b::/96');

/** @throws Error when `address` is not an IP address in its plain form (`127.1` and `0x7f.1` are host names here). */
export function classify(address: string): AddressKind {
  const ip = parse(address);
  const family = ip.kind() === 'ipv4' ? 4 : 6;
  return { family, text: ip.toString(), rule: ruleOf(ip) };
}

/** Whether the block contains the address, after the same unwrapping as in `classify`. */
export function holds(block: Block, address: string): boolean {
  const ip = parse(address);
  return ip.kind() === block[0].kind() && ip.match([block[0], block[1]]);
}

/** Whether the first block contains every address of the second. */
export const covers = (outer: Block, inner: Block): boolean =>
  inner[0].kind() === outer[0].kind() && outer[1] <= inner[1] && inner[0].match([outer[0], outer[1]]);

/** Whether no address of the block is special-purpose. */
export function isOrdinary(block: Block): boolean {
  const family = block[0].kind() === 'ipv4' ? 4 : 6;
  const isSpecial = tables[family].some(({ block: special }) => covers(special, block) || covers(block, special));
  return !isSpecial && (family === 4 || covers(globalUnicast, block));
}

/** Undefined for anything but a CIDR block. A mapped block (`::ffff:10.0.0.0/104`) is not accepted: IPv4 blocks are written as IPv4. */
export function parseBlock(text: string): Block | undefined {
  const [address = '', prefix = '', ...rest] = text.split('/');
  if (rest.length > 0 || isIP(address) === 0 || address.includes('%') || !/^\d{1,3}$/.test(prefix)) return undefined;
  const ip = ipaddr.parse(address);
  if (ip instanceof ipaddr.IPv6 && ip.isIPv4MappedAddress()) return undefined;
  return Number(prefix) <= ip.toByteArray().length * 8 ? [ip, Number(prefix)] : undefined;
}

function parse(address: string): ipaddr.IPv4 | ipaddr.IPv6 {
  // ipaddr.js would also parse 127.1, 0x7f.1 and 2130706433, which must go through name resolution.
  if (isIP(address) === 0) throw new Error(`not an IP address: ${address}`);
  const ip = ipaddr.process(address.replace(/%.*$/, ''));
  return ip;
}

function ruleOf(ip: ipaddr.IPv4 | ipaddr.IPv6): string | undefined {
  const entry = tables[ip.kind() === 'ipv4' ? 4 : 6].find(({ block }) => ip.match(block));
  if (entry !== undefined) return `${entry.cidr} (${entry.use})`;
  if (ip.kind() === 'ipv4' || ip.match(globalUnicast)) return undefined;
  return ip.match(nat64) ? embeddedRule(ip) : 'outside 2000::/3 (not global unicast)';
}

/** NAT64 delivers the packet to the IPv4 address in the last 32 bits. */
function embeddedRule(ip: ipaddr.IPv4 | ipaddr.IPv6): string | undefined {
  const rule = ruleOf(ipaddr.fromByteArray(ip.toByteArray().slice(12)));
  return rule === undefined ? undefined : `64:ff9b::/96 (NAT64) around ${rule}`;
}
