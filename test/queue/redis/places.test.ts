import { expect, test } from 'vitest';
import { Places } from '#queue/redis/places.ts';

const [a, b, c] = ['a', 'b', 'c'].map((host) => ({ host, port: 7_000 })) as [Host, Host, Host];
type Host = { readonly host: string; readonly port: number };

test('the places of the URL are tried in turn', () => {
  const places = new Places([a, b]);
  const tried = Array.from({ length: 4 }, () => {
    const place = places.current();
    places.lost(place);
    return place;
  });
  expect(tried).toEqual([a, b, a, b]);
});

test('the node that MOVED names is dialled until it is lost', () => {
  const places = new Places([a, b]);
  places.moved('c:7000');
  expect(places.current()).toEqual(c);
  places.lost(a);
  expect(places.current()).toEqual(c);
  places.lost(c);
  expect(places.current()).toEqual(a);
});

test.each([
  [':7001', { host: 'a', port: 7_001 }],
  ['?:7001', { host: 'a', port: 7_001 }],
  ['fd00::1:7001', { host: 'fd00::1', port: 7_001 }],
  ['nonsense', a],
  ['host:0', a],
])('MOVED to %s is understood', (address, expected) => {
  const places = new Places([a]);
  places.moved(address);
  expect(places.current()).toEqual(expected);
});

test('nodes that the cluster has named are tried when those of the URL fail', () => {
  const places = new Places([a]);
  places.learn([a, b, c]);
  places.lost(a);
  expect(places.current()).toEqual(b);
  places.lost(b);
  expect(places.current()).toEqual(c);
  places.learn([]);
  expect(places.current()).toEqual(a);
});

test('a place that answers but cannot serve is left at most once a second, and never when it is the only one', () => {
  const places = new Places([a, b]);
  expect([places.leave(0), places.current()]).toEqual([true, b]);
  expect([places.leave(999), places.current()]).toEqual([false, b]);
  expect([places.leave(1_000), places.current()]).toEqual([true, a]);
  expect(new Places([a]).leave(0)).toBe(false);
});
