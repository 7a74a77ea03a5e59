import { expect, test } from 'vitest';
import { z } from 'zod';
import { networkFields, toPolicy } from '#destinations/frame/fields/network.ts';
import { readBounds } from '#network/bounds.ts';

const bounds = readBounds('10.0.0.0/8');
const schema = z.object(networkFields);
const problems = (input: object) => schema.safeParse(input).error?.issues.map(({ message }) => message);

test('without any fields the policy is strict', () => {
  expect(toPolicy(schema.parse({}), undefined, bounds)).toEqual({
    disabled: false,
    allowedIpv4: [],
    allowedIpv6: [],
    allowedPorts: [],
    caCertificates: undefined,
    caCertificatesOnly: false,
    bounds,
  });
});

test('lists are read as arrays and as comma texts, ports as numbers and as texts', () => {
  const input = {
    disable_strict_networking: 'true',
    allowed_ipv4_addresses: '10.0.100.1/24, 127.0.0.0/8',
    allowed_ipv6_addresses: ['fe80::0/120'],
    allowed_ports: ['8200', 9000],
  };
  expect(toPolicy(schema.parse(input), 'PEM', bounds)).toEqual({
    disabled: true,
    allowedIpv4: ['10.0.100.1/24', '127.0.0.0/8'],
    allowedIpv6: ['fe80::0/120'],
    allowedPorts: [8200, 9000],
    caCertificates: 'PEM',
    caCertificatesOnly: false,
    bounds,
  });
});

test.each([
  [
    { allowed_ipv4_addresses: ['10.0.0.1'] },
    'invalid CIDR address "10.0.0.1": allowed_ipv4_addresses takes blocks such as 10.0.0.0/8',
  ],
  [
    { allowed_ipv4_addresses: ['fd00::/8'] },
    'invalid CIDR address "fd00::/8": allowed_ipv4_addresses takes blocks such as 10.0.0.0/8',
  ],
  [
    { allowed_ipv6_addresses: ['10.0.0.0/8'] },
    'invalid CIDR address "10.0.0.0/8": allowed_ipv6_addresses takes blocks such as fd00::/8',
  ],
  [
    { allowed_ipv6_addresses: ['::ffff:10.0.0.0/104'] },
    'invalid CIDR address "::ffff:10.0.0.0/104": allowed_ipv6_addresses takes blocks such as fd00::/8',
  ],
  [{ allowed_ports: [0] }, 'invalid port 0: allowed_ports takes 1 to 65535'],
  [{ allowed_ports: [65_536] }, 'invalid port 65536: allowed_ports takes 1 to 65535'],
  [{ allowed_ports: Array(257).fill(443) }, 'allowed_ports takes at most 256 entries'],
])('%j is refused with a text that names the field and the rule', (input, message) => {
  expect(problems(input)).toEqual([message]);
});
