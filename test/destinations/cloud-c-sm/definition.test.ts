import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { definition } from '#destinations/cloud-c-sm/index.ts';
import { connect } from './setup.ts';

const pem = (pair: { privateKey: { export(options: { type: 'pkcs8'; format: 'pem' }): string | Buffer } }) =>
  String(pair.privateKey.export({ type: 'pkcs8', format: 'pem' }));
const account = {
  type: 'service_account',
  project_id: 'my-project',
  client_email: 'me@my-project.iam.gserviceaccount.com',
  private_key: pem(generateKeyPairSync('rsa', { modulusLength: 2048 })),
};
const json = (over: Record<string, unknown> = {}) => JSON.stringify({ ...account, ...over });
const ring = (location: string) => `projects/p/locations/${location}/keyRings/r/cryptoKeys/k`;
const problems = (over: Record<string, unknown>) =>
  definition.validate(connect({ credentials: json(), ...over })).map(({ text }) => text);

test.each([
  {},
  { credentials: '@/etc/keyferry/key.json' },
  { credentials: json({ project_id: undefined }), project_id: 'other-project' },
  { project_id: '123456789012' },
  { project_id: 'example.com:my-project' },
  { global_kms_key: ring('global') },
  { replication_locations: 'europe-west1,us-east1' },
  { kms_key_id: ring('global') },
  { kms_key_id: ring('global'), global_kms_key: ring('global') },
  { replica_regions: { 'europe-west1': '', 'us-east1': '' } },
  { replica_regions: `europe-west1=${ring('europe-west1')},us-east1=${ring('us-east1')}` },
  { replica_regions: {}, kms_key_id: ring('global') },
  { replication_locations: ['us-east1'], locational_kms_keys: `us-east1=${ring('us-east1')}` },
  { endpoint: 'http://10.0.0.1:8080/' },
])('a connection with %j is valid', (over) => {
  expect(problems(over)).toEqual([]);
});

test.each([
  [{ credentials: '@' }, 'path'],
  [{ credentials: 'hush' }, 'not JSON'],
  [{ credentials: '"hush"' }, 'service account'],
  [{ credentials: json({ type: 'external_account' }) }, 'type'],
  [{ credentials: json({ private_key: 'hush' }) }, 'private_key'],
  [{ credentials: json({ private_key: pem(generateKeyPairSync('ed25519')) }) }, 'private_key'],
  [{ credentials: json({ client_email: undefined }) }, 'client_email'],
  [{ credentials: json({ universe_domain: 'evil.com/x?' }) }, 'universe_domain'],
  [{ credentials: json({ project_id: undefined }) }, 'project_id is missing'],
  [{ project_id: 'My Project' }, 'project_id'],
  [{ project_id: 'a/../b' }, 'project_id'],
  [{ replication_locations: 'Europe' }, 'replication_locations'],
  [{ replication_locations: 'us-east1,us-east1' }, 'named twice'],
  [{ locational_kms_keys: { 'us-east1': ring('us-east1') } }, 'needs replication_locations'],
  [{ replication_locations: 'us-east1,us-west1', locational_kms_keys: { 'us-east1': ring('us-east1') } }, 'no key for'],
  [
    {
      replication_locations: 'us-east1',
      locational_kms_keys: { 'us-east1': ring('us-east1'), 'us-west1': ring('us-west1') },
    },
    'not among',
  ],
  [
    { replication_locations: 'us-east1', locational_kms_keys: { 'us-east1': ring('us-west1') } },
    'must be in "us-east1"',
  ],
  [{ replication_locations: 'us-east1', global_kms_key: ring('global') }, 'use locational_kms_keys'],
  [{ kms_key_id: 'k' }, 'invalid kms_key_id: a key has the form projects/'],
  [{ kms_key_id: ring('us-east1') }, 'invalid kms_key_id: the key is in "us-east1" but must be in "global"'],
  [{ kms_key_id: ring('global'), global_kms_key: ring('us-east1') }, 'kms_key_id and global_kms_key are the same'],
  [
    { kms_key_id: ring('global'), replica_regions: { 'us-east1': '' } },
    'kms_key_id cannot be set with replica_regions',
  ],
  [
    { kms_key_id: ring('global'), replication_locations: ['us-east1'] },
    'kms_key_id cannot be set with replication_locations',
  ],
  [{ replica_regions: { 'us-east1': ring('us-east1'), 'us-west1': '' } }, 'replica_regions has no key for "us-west1"'],
  [{ replica_regions: { 'us-east1': ring('us-west1') } }, 'invalid replica_regions: the key is in "us-west1"'],
  [{ replica_regions: { 'us-east1': 'k' } }, 'invalid replica_regions: a key has the form'],
  [{ replica_regions: { Europe: '' } }, 'invalid replica_regions: "Europe" is not a location'],
  [{ replica_regions: { global: '' } }, 'invalid replica_regions: "global" is not a location'],
  [{ replication_locations: ['global'] }, 'invalid replication_locations: "global" is not a location'],
  [{ replica_regions: { 'us-east1': '' }, replication_locations: ['us-east1'] }, 'replaces'],
  [{ global_kms_key: 'k' }, 'cryptoKeys'],
  [{ global_kms_key: ring('us-east1') }, 'must be in "global"'],
])('a connection with %j is refused with one text that says %j', (over, text) => {
  const found = problems(over);
  expect(found).toHaveLength(1);
  expect(found[0]).toContain(text);
  expect(found[0]).not.toContain('hush');
});

test('a rendered default name is normalised to a valid one', () => {
  const name = definition.names.normalise('keyferry/kv_1234/päth/🗝/key');
  expect(name).toBe('keyferry-kv_1234-p-th---key');
  expect(definition.names.refuse(name)).toBeUndefined();
});

test('tags become labels, or are refused if they cannot', () => {
  const { tags } = definition;
  expect(tags.normalise({ 'Cost Center': 'R&D ÄÖ' })).toEqual({ cost_center: 'r_d_äö' });
  const many = Object.fromEntries(Array.from({ length: 63 }, (_, index) => [`tag-${index}`, '']));
  const bad = [{ Keyferry: 'x' }, { 'keyferry-mark': 'x' }, { '': 'x' }, { '1st': 'x' }, { long: 'x'.repeat(64) }];
  for (const custom of [...bad, { a: '1', A: '2' }, many]) expect(() => tags.normalise(custom)).toThrow(/custom_tags/);
});
