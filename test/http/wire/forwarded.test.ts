import { expect, test } from 'vitest';
import { type AddressList, parseAddressList } from '#core/address-list.ts';
import { connectionOf } from '#http/wire/connection/connection.ts';

const list = (text: string): AddressList => {
  const parsed = parseAddressList(text);
  if (parsed === undefined) throw new Error(text);
  return parsed;
};
const proxies = list('10.0.0.0/8,2001:db8:1::/48');

test.each([
  ['nothing was forwarded', '10.0.0.1', undefined, '10.0.0.1'],
  ['an untrusted peer claims another address', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
  ['a trusted proxy names its client', '10.0.0.1', '198.51.100.1', '198.51.100.1'],
  [
    'a client claims an address before a trusted proxy adds its own',
    '10.0.0.1',
    '127.0.0.1, 198.51.100.1',
    '198.51.100.1',
  ],
  ['there are two trusted proxies', '10.0.0.1', '6.6.6.6, 198.51.100.1, 10.0.0.2', '198.51.100.1'],
  ['a client claims the address of a trusted proxy', '10.0.0.1', '10.9.9.9, 198.51.100.1', '198.51.100.1'],
  ['all are trusted', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
  ['an entry is not an address', '10.0.0.1', '198.51.100.1, unknown', '10.0.0.1'],
  ['an entry before the proxy is not an address', '10.0.0.1', 'unknown, 10.0.0.2', '10.0.0.2'],
  ['the list is empty', '10.0.0.1', '', '10.0.0.1'],
  ['an entry has a port', '10.0.0.1', '198.51.100.1:4711', '198.51.100.1'],
  ['an IPv6 entry has a port', '2001:db8:1::1', '[2001:db8:2::7]:443', '2001:db8:2::7'],
  ['an entry is a mapped address', '::ffff:10.0.0.1', '::ffff:198.51.100.1', '198.51.100.1'],
])('the address of a client: %s', (_name, remoteAddress, forwarded, shown) => {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  expect(connectionOf({ remoteAddress }, headers, proxies).remoteAddress).toBe(shown);
});

test('at most 32 proxies are read', () => {
  const hops = ['198.51.100.1', ...Array.from({ length: 40 }, (_, index) => `10.1.0.${index}`)].join(', ');
  expect(connectionOf({ remoteAddress: '10.0.0.1' }, { 'x-forwarded-for': hops }, proxies).remoteAddress).toBe(
    '10.1.0.8',
  );
});

test('the port of a trusted proxy is not shown as the port of its client', () => {
  const peer = { remotePort: 4711, remoteAddress: '10.0.0.1' };
  const headers = { 'x-forwarded-for': '198.51.100.1' };
  expect(connectionOf(peer, headers, proxies).remotePort).toBeUndefined();
  expect(connectionOf(peer, headers, list('192.0.2.0/24')).remotePort).toBe(4711);
});
