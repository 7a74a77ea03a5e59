import { expect, test } from 'vitest';
import { widenedAccess } from '#sync/rows/destinations/guard/network.ts';

const network = (changes: object = {}) => ({
  disable_strict_networking: false,
  allowed_ipv4_addresses: [],
  allowed_ipv6_addresses: [],
  allowed_ports: [],
  ...changes,
});
const v4 = (...blocks: string[]) => ({ allowed_ipv4_addresses: blocks });
const v6 = (...blocks: string[]) => ({ allowed_ipv6_addresses: blocks });
const ports = (...numbers: number[]) => ({ allowed_ports: numbers });
const off = { disable_strict_networking: true };

test.each([
  [{}, {}, []],
  [{}, off, ['disable_strict_networking']],
  [off, {}, []],
  [off, { ...v4('0.0.0.0/0'), ...ports(22) }, []],
  [v4('10.0.0.0/8'), v4('10.0.0.0/8'), []],
  [v4('10.0.0.0/8'), v4('10.20.0.0/16', '10.1.2.3/32'), []],
  [v4('10.0.0.1/8'), v4('10.255.0.0/16'), []],
  [v4('10.0.0.0/8'), v4(), []],
  [v4('10.20.0.0/16'), v4('10.0.0.0/8'), ['allowed_ipv4_addresses']],
  [v4('10.0.0.0/8'), v4('10.0.0.0/8', '127.0.0.1/32'), ['allowed_ipv4_addresses']],
  [v4('0.0.0.0/0'), v4('127.0.0.1/32'), []],
  [v4('10.0.0.0/8'), v4('nonsense'), ['allowed_ipv4_addresses']],
  [v6('fd00::/8'), v6('fd12:3456::/32'), []],
  [v6('fd00::/8'), v6('fc00::/7'), ['allowed_ipv6_addresses']],
  [v4('0.0.0.0/0'), v6('::/0'), ['allowed_ipv6_addresses']],
  [ports(8443), ports(8443, 443, 80), []],
  [ports(8443), ports(), []],
  [ports(8443), ports(8444), ['allowed_ports']],
  [
    {},
    { ...off, ...v4('10.0.0.0/8'), ...ports(22) },
    ['disable_strict_networking', 'allowed_ipv4_addresses', 'allowed_ports'],
  ],
])('a change from %o to %o widens the access by %o', (before, after, fields) => {
  expect(widenedAccess(network(before), network(after))).toEqual(fields);
});
