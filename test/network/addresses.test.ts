import { expect, test } from 'vitest';
import { classify, holds, parseBlock } from '#network/addresses.ts';

test.each([
  ['8.8.8.8', undefined],
  ['172.15.255.255', undefined],
  ['172.32.0.0', undefined],
  ['100.128.0.0', undefined],
  ['2606:4700::1111', undefined],
  ['2001:4860:4860::8888', undefined],
  ['0.0.0.0', '0.0.0.0/8 (this network)'],
  ['0.1.2.3', '0.0.0.0/8 (this network)'],
  ['10.255.255.255', '10.0.0.0/8 (private use)'],
  ['100.64.0.1', '100.64.0.0/10 (shared address space)'],
  ['127.0.0.53', '127.0.0.0/8 (loopback)'],
  ['168.63.129.16', '168.63.129.16/32 (platform endpoint of a cloud)'],
  ['169.254.169.254', '169.254.0.0/16 (link local, cloud metadata)'],
  ['172.16.0.0', '172.16.0.0/12 (private use)'],
  ['172.31.255.255', '172.16.0.0/12 (private use)'],
  ['192.0.0.192', '192.0.0.0/24 (IETF protocol assignments)'],
  ['192.0.2.9', '192.0.2.0/24 (documentation)'],
  ['192.168.1.1', '192.168.0.0/16 (private use)'],
  ['198.19.0.1', '198.18.0.0/15 (benchmarking)'],
  ['198.51.100.7', '198.51.100.0/24 (documentation)'],
  ['203.0.113.7', '203.0.113.0/24 (documentation)'],
  ['224.0.0.251', '224.0.0.0/4 (multicast)'],
  ['240.0.0.1', '240.0.0.0/4 (reserved)'],
  ['255.255.255.255', '255.255.255.255/32 (broadcast)'],
  ['::', '::/128 (unspecified)'],
  ['::1', '::1/128 (loopback)'],
  ['::7f00:1', '::/96 (IPv4-compatible)'],
  ['::ffff:127.0.0.1', '127.0.0.0/8 (loopback)'],
  ['::ffff:a00:1', '10.0.0.0/8 (private use)'],
  ['::ffff:8.8.8.8', undefined],
  ['::ffff:0:8.8.8.8', '::ffff:0:0:0/96 (IPv4-translated)'],
  ['64:ff9b::808:808', undefined],
  ['64:ff9b::7f00:1', '64:ff9b::/96 (NAT64) around 127.0.0.0/8 (loopback)'],
  ['64:ff9b:1::808:808', '64:ff9b:1::/48 (local-use translation)'],
  ['100::1', '100::/64 (discard only)'],
  ['2001:0:808:808::1', '2001::/32 (Teredo)'],
  ['2001:20::1', '2001::/23 (IETF protocol assignments)'],
  ['2001:db8::1', '2001:db8::/32 (documentation)'],
  ['2002:7f00:1::', '2002::/16 (6to4)'],
  ['2002:808:808::', '2002::/16 (6to4)'],
  ['3fff::1', '3fff::/20 (documentation)'],
  ['5f00::1', '5f00::/16 (segment routing)'],
  ['fd00:ec2::254', 'fc00::/7 (unique local)'],
  ['fe80::1', 'fe80::/10 (link local)'],
  ['fe80::1%eth0', 'fe80::/10 (link local)'],
  ['fec0::1', 'fec0::/10 (site local)'],
  ['ff02::1', 'ff00::/8 (multicast)'],
  ['4000::1', 'outside 2000::/3 (not global unicast)'],
])('the address %s is in %s', (address, rule) => {
  expect(classify(address).rule).toBe(rule);
});

test.each(['127.1', '0x7f.0.0.1', '2130706433', '0177.0.0.1', 'localhost', '[::1]', ''])(
  'the text %j is not taken for an address',
  (text) => {
    expect(() => classify(text)).toThrow('not an IP address');
  },
);

test('a mapped address counts as the IPv4 address that it represents', () => {
  expect(classify('::ffff:10.0.0.1')).toMatchObject({ family: 4, text: '10.0.0.1' });
});

test.each([
  ['10.0.100.1/24', '10.0.100.254', true],
  ['10.0.100.1/24', '10.0.101.1', false],
  ['10.0.0.0/8', '::ffff:10.1.2.3', true],
  ['127.0.0.1/32', '127.0.0.1', true],
  ['0.0.0.0/0', '127.0.0.1', true],
  ['0.0.0.0/0', '::1', false],
  ['::/0', '::1', true],
  ['::/0', '127.0.0.1', false],
  ['::/0', '::ffff:127.0.0.1', false],
  ['fe80::0/120', 'fe80::fe', true],
  ['fe80::0/120', 'fe80::fe%eth0', true],
])('whether the block %s contains %s: %s', (cidr, address, expected) => {
  const block = parseBlock(cidr);
  expect(block !== undefined && holds(block, address)).toBe(expected);
});

test.each([
  '10.0.0.1',
  '10.0.0.0/33',
  '::/129',
  '10.0.0/8',
  '0x0a.0.0.0/8',
  '10.0.0.0/',
  '10.0.0.0/-1',
  '10.0.0.0/8/8',
])('the text %j is not taken for a block', (text) => {
  expect(parseBlock(text)).toBeUndefined();
});

test('a mapped block is refused because IPv4 blocks must be written as IPv4', () => {
  expect(parseBlock('::ffff:10.0.0.0/104')).toBeUndefined();
});
