import { expect, test } from 'vitest';
import { admitsAddress, admitsBlock, admitsPort, readBounds } from '#network/bounds.ts';
import { decide } from '#network/policy.ts';
import { strictPolicy } from '../support/network/policy.ts';

const some = '10.20.0.0/16, fd00:1::/32,8443,9000-9010';

test.each([
  [undefined, '8.8.8.0/24', true],
  [undefined, '2606:4700::/32', true],
  [undefined, '10.0.0.0/8', false],
  [undefined, '0.0.0.0/0', false],
  [undefined, '8.0.0.0/5', false],
  [undefined, '::/0', false],
  [undefined, '64:ff9b::/96', false],
  ['none', '127.0.0.1/32', false],
  ['all', '0.0.0.0/0', true],
  [some, '10.20.3.0/24', true],
  [some, '10.20.0.0/16', true],
  [some, '10.20.0.0/15', false],
  [some, '10.21.0.0/24', false],
  [some, 'fd00:1:2::/48', true],
  [some, 'fd00::/16', false],
  ['10.0.0.0/8', '::ffff:10.0.0.0/104', false],
])('with the setting %s a destination may name the block %s: %s', (setting, block, admitted) => {
  expect(admitsBlock(readBounds(setting), block)).toBe(admitted);
});

test.each([
  [undefined, 443, true],
  [undefined, 8443, false],
  ['all', 6379, true],
  [some, 8443, true],
  [some, 9000, true],
  [some, 9010, true],
  [some, 9011, false],
])('with the setting %s port %d may be named: %s', (setting, port, admitted) => {
  expect(admitsPort(readBounds(setting), port)).toBe(admitted);
});

test.each(['10.0.0.0', 'all,8443', 'none,10.0.0.0/8', '0', '65536', '9010-9000', '::ffff:10.0.0.0/104', 'everything'])(
  'the setting %s is refused at the start by its name',
  (setting) => {
    expect(() => readBounds(setting)).toThrow('KEYFERRY_NETWORK_ALLOWED');
  },
);

const asksMuch = { ...strictPolicy, allowedIpv4: ['10.0.0.0/8'], allowedPorts: [8443, 6379] };

test('a connection needs the permission of both the destination and the server', () => {
  const bounded = { ...asksMuch, bounds: readBounds(some) };
  expect(decide(bounded, '10.20.0.1', 8443)).toEqual([]);
  expect(decide({ ...strictPolicy, bounds: readBounds('all') }, '10.20.0.1', 8443)).toHaveLength(2);
  const refusals = decide(bounded, '10.21.0.1', 6379);
  expect(refusals.map(({ field }) => field)).toEqual([undefined, undefined]);
  for (const { reason } of refusals) expect(reason).toContain('KEYFERRY_NETWORK_ALLOWED');
});

test('a destination that disables the guard reaches what the server allows, and public addresses', () => {
  const off = { ...strictPolicy, disabled: true };
  expect(decide({ ...off, bounds: readBounds('all') }, '127.0.0.1', 6379)).toEqual([]);
  expect(decide({ ...off, bounds: readBounds() }, '127.0.0.1', 6379)).toHaveLength(2);
  expect(decide({ ...off, bounds: readBounds(some) }, '10.20.0.1', 8443)).toEqual([]);
  expect(decide({ ...off, bounds: readBounds() }, '93.184.216.34', 443)).toEqual([]);
});

test('an IPv4 address in IPv6 form counts as the IPv4 address', () => {
  expect(admitsAddress(readBounds('10.0.0.0/8'), '::ffff:10.0.0.1')).toBe(true);
  expect(admitsAddress(readBounds('10.0.0.0/8'), '::ffff:127.0.0.1')).toBe(false);
});
