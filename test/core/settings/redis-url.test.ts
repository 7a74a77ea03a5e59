import { expect, it, test } from 'vitest';
import { readConfig } from '#core/config.ts';
import { parseRedisUrl, withRedisFiles } from '#core/settings/redis-url.ts';

it.each([
  ['redis://redis', [{ host: 'redis', port: 6_379 }]],
  [
    'redis://10.0.0.1:7000,10.0.0.2:7001',
    [
      { host: '10.0.0.1', port: 7_000 },
      { host: '10.0.0.2', port: 7_001 },
    ],
  ],
  [
    'redis://[::1]:7000,b',
    [
      { host: '::1', port: 7_000 },
      { host: 'b', port: 6_379 },
    ],
  ],
  [
    'redis+sentinel://a,b:5000/main',
    [
      { host: 'a', port: 26_379 },
      { host: 'b', port: 5_000 },
    ],
  ],
])('the hosts of %s are found', (url, hosts) => {
  expect(parseRedisUrl(url)?.hosts).toEqual(hosts);
});

test('user, password, database, TLS and sentinels are read and unescaped', () => {
  expect(parseRedisUrl('rediss://us%40er:p%2Fw:d@host/3?family=6&ca_file=/a&cert_file=/b&key_file=/c')).toEqual({
    hosts: [{ host: 'host', port: 6_379 }],
    tls: true,
    username: 'us@er',
    password: 'p/w:d',
    db: 3,
    family: 6,
    files: { ca: '/a', cert: '/b', key: '/c', password: undefined },
    sentinel: undefined,
  });
  const byName = parseRedisUrl('redis+sentinel://:pw@a,b/main%20one/2?sentinel_username=s&sentinel_password=t%26t');
  expect(byName).toMatchObject({ username: undefined, password: 'pw', db: 2 });
  expect(byName?.sentinel).toEqual({ name: 'main one', username: 's', password: 't&t' });
});

it.each([
  'http://host',
  'redis://',
  'redis://host:0',
  'redis://host:70000',
  'redis://a,',
  'redis://host/main',
  'redis://user:%zz@host',
  'redis://host?tls=true',
  'redis://host?family=5',
  'redis://host?ca_file=/a',
  'rediss://host?cert_file=/a',
  'redis+sentinel://a',
  'redis+sentinel://a/name/x',
])('%s is refused', (url) => {
  expect(parseRedisUrl(url)).toBeUndefined();
  expect(() => readConfig({ REDIS_URL: url })).toThrow('REDIS_URL must have the form');
});

test('errors about the address of Redis do not contain its password', () => {
  expect(() => readConfig({ REDIS_URL: 'redis://:sesame@host?x=1' })).toThrow(/^(?!.*sesame)/);
});

test('files from settings are passed on with the URL and replace those in the URL', () => {
  const { REDIS_URL: url = '' } = readConfig({
    REDIS_URL: 'rediss://a,b/0?ca_file=/old&family=4',
    KEYFERRY_REDIS_CA_FILE: '/new ca',
    KEYFERRY_REDIS_CERT_FILE: '/cert',
    KEYFERRY_REDIS_KEY_FILE: '/key',
    KEYFERRY_REDIS_PASSWORD_FILE: '/password',
  });
  expect(parseRedisUrl(url)?.files).toEqual({ ca: '/new ca', cert: '/cert', key: '/key', password: '/password' });
  expect(parseRedisUrl(url)).toMatchObject({ family: 4, hosts: [{ host: 'a' }, { host: 'b' }] });
  expect(withRedisFiles('redis://:p@host/1', {})).toBe('redis://:p@host/1');
});

test('certificates without TLS are refused, and so is a certificate without its key', () => {
  const refused = 'KEYFERRY_REDIS_CA_FILE, KEYFERRY_REDIS_CERT_FILE and KEYFERRY_REDIS_KEY_FILE need';
  expect(() => readConfig({ REDIS_URL: 'redis://host', KEYFERRY_REDIS_CA_FILE: '/ca' })).toThrow(refused);
  expect(() => readConfig({ REDIS_URL: 'rediss://host', KEYFERRY_REDIS_CERT_FILE: '/cert' })).toThrow(refused);
});
