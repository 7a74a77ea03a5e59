import { expect, test } from 'vitest';
import { decide } from '#network/policy.ts';
import { strictPolicy } from '../support/network/policy.ts';

const opened = {
  ...strictPolicy,
  allowedIpv4: ['10.0.0.0/8', 'no block'],
  allowedIpv6: ['fd00::/8'],
  allowedPorts: [8200],
};

test.each([
  ['strict', strictPolicy, '8.8.8.8', 443, []],
  ['strict', strictPolicy, '8.8.8.8', 80, []],
  ['strict', strictPolicy, '8.8.8.8', 8200, ['allowed_ports']],
  ['strict', strictPolicy, '8.8.8.8', 0, ['allowed_ports']],
  ['strict', strictPolicy, '10.0.0.1', 443, ['allowed_ipv4_addresses']],
  ['strict', strictPolicy, '127.0.0.1', 6379, ['allowed_ipv4_addresses', 'allowed_ports']],
  ['strict', strictPolicy, '::1', 443, ['allowed_ipv6_addresses']],
  ['strict', strictPolicy, '::ffff:127.0.0.1', 443, ['allowed_ipv4_addresses']],
  ['opened', opened, '10.9.9.9', 443, []],
  ['opened', opened, '10.9.9.9', 8200, []],
  ['opened', opened, '::ffff:10.9.9.9', 443, []],
  ['opened', opened, '172.16.0.1', 443, ['allowed_ipv4_addresses']],
  ['opened', opened, 'fd12::1', 8200, []],
  ['opened', opened, 'fe80::1', 443, ['allowed_ipv6_addresses']],
  ['opened', opened, '8.8.8.8', 443, []],
  ['opened', opened, '8.8.8.8', 80, []],
  ['opened', opened, '8.8.8.8', 8201, ['allowed_ports']],
  ['disabled', { ...strictPolicy, disabled: true }, '127.0.0.1', 22, []],
] as const)('the %s policy %o at %s port %i needs %j', (_name, policy, address, port, fields) => {
  expect(decide(policy, address, port).map(({ field }) => field)).toEqual(fields);
});

test('the reason names the address, the block and its use', () => {
  expect(decide(strictPolicy, '127.0.0.1', 443)).toEqual([
    { reason: '127.0.0.1 is in 127.0.0.0/8 (loopback)', field: 'allowed_ipv4_addresses' },
  ]);
  expect(decide(strictPolicy, '::ffff:7f00:1', 443)[0]?.reason).toBe(
    '::ffff:7f00:1, that is 127.0.0.1, is in 127.0.0.0/8 (loopback)',
  );
});
