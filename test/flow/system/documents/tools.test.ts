import { expect, test } from 'vitest';
import { serviceOf } from '#test/support/flow/open-service.ts';

const service = serviceOf([]);
const abc = Buffer.from('abc').toString('base64');

test.each([
  ['random', {}, 32],
  ['random/1', {}, 1],
  ['random/platform', { bytes: '7' }, 7],
  ['random/all/131072', {}, 131_072],
  ['random', { bytes: 5, source: 'seal' }, 5],
])('%s with %j returns the requested number of random bytes', async (path, body, bytes) => {
  const base64 = await service.ask('POST', `sys/tools/${path}`, body);
  expect(Buffer.from(String(base64.data['random_bytes']), 'base64')).toHaveLength(bytes);
  const hex = await service.ask('PUT', `sys/tools/${path}`, { ...body, format: 'hex' });
  expect(hex.data['random_bytes']).toMatch(new RegExp(`^[0-9a-f]{${bytes * 2}}$`));
});

test.each([
  ['random', { bytes: 0 }, '"bytes" cannot be less than 1'],
  ['random', { bytes: 131_073 }, '"bytes" should be less than 131072'],
  ['random', { bytes: 1e300 }, 'bytes'],
  ['random', { bytes: ['x'] }, 'bytes'],
  ['random/0', {}, '"bytes" cannot be less than 1'],
  ['random/moon', {}, 'error parsing url-set byte count'],
  ['random/seal/many', {}, 'error parsing url-set byte count'],
  ['random/moon/5', {}, 'unsupported entropy source "moon"'],
  ['random', { source: 'moon' }, 'unsupported entropy source "moon"'],
  ['random', { format: 'octal' }, 'unsupported encoding format "octal"'],
  ['hash', { input: abc, format: 'octal' }, 'unsupported encoding format "octal"'],
  ['hash', { input: abc, algorithm: 'md5' }, 'unsupported algorithm "md5"'],
  ['hash/md5', { input: abc }, 'unsupported algorithm "md5"'],
  ['hash', { input: 'a?c=' }, 'unable to decode input as base64'],
  ['hash', { input: { a: 1 } }, 'input'],
])('%s with %j is a bad request', async (path, body, text) => {
  const answer = await service.ask('POST', `sys/tools/${path}`, body);
  expect(answer.status).toBe(400);
  expect(answer.errors.join()).toContain(text);
});

test.each([
  ['hash', {}, 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  ['hash/sha2-224', {}, '23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7'],
  ['hash/sha3-256', { format: 'base64' }, 'Ophdp0/iJbIEXBcta9OQvYVfCG4+nVJbRr/iRRFDFTI='],
  ['hash', { algorithm: 'sha2-256', format: 'base64' }, 'ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='],
])('%s with %j returns the known hash', async (path, body, sum) => {
  expect((await service.ask('POST', `sys/tools/${path}`, { input: abc, ...body })).data).toEqual({ sum });
});

test('every algorithm returns a hash of the length in its name', async () => {
  for (const kind of ['sha2', 'sha3'])
    for (const bits of [224, 256, 384, 512]) {
      const { data } = await service.ask('POST', `sys/tools/hash/${kind}-${bits}`, { input: '' });
      expect(data['sum']).toHaveLength(bits / 4);
    }
});
