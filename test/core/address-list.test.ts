import { expect, test } from 'vitest';
import { parseAddressList } from '#core/address-list.ts';

test.each([
  ['192.0.2.1', '192.0.2.1', true],
  ['192.0.2.1', '::ffff:192.0.2.1', true],
  ['192.0.2.1', '192.0.2.2', false],
  ['10.0.0.0/8, 2001:db8::/32', '10.255.0.1', true],
  ['10.0.0.0/8, 2001:db8::/32', '2001:db8:1::2', true],
  ['10.0.0.0/8', '11.0.0.1', false],
  ['0.0.0.0/0', '203.0.113.1', true],
  ['0.0.0.0/0', '2001:db8::1', false],
  ['10.0.0.0/8', '', false],
  ['10.0.0.0/8', 'not an address', false],
  ['', '10.0.0.1', false],
])('the list %j and the address %j: %s', (list, address, has) => {
  expect(parseAddressList(list)?.has(address)).toBe(has);
});

test.each(['10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '2001:db8::/129', 'proxy.example', '10.0.0', '10.0.0.0/-1'])(
  '%s is not a list of addresses',
  (text) => {
    expect(parseAddressList(text)).toBeUndefined();
  },
);
