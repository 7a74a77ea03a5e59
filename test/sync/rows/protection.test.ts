import { describe, expect, test } from 'vitest';
import { definitions } from '#destinations/index.ts';
import { commonFields, mergeFields } from '#sync/rows/destinations/fields.ts';
import { isProtective, refusesUnprotected } from '#sync/rows/destinations/guard/protection.ts';

test.each([
  ...['kms_key_id', 'kms_key', 'kmsKeyId', 'KmsKeyId', 'KMS_KEY_ID', 'kms-key-id', 'kms', 'global_kms_key'],
  ...['locational_kms_keys', 'regional_kms_keys', 'replica_regions', 'replica_region', 'replication', 'replicas'],
  ...['replication_locations', 'replication_policy', 'AddReplicaRegions', 'locations', 'key', 'keys', 'key_id'],
  ...['master_key_id', 'encryption_key', 'encryption', 'encrypt', 'encrypted', 'cmek', 'cmk_arn', 'byok', 'hsm'],
  ...['customer_managed_encryption', 'server_side_encryption', 'sse_customer_key', 'deletion_protection', 'key_arn'],
  ...['resource_policy', 'sensitive', 'visibility', 'data_residency'],
])('%s concerns the protection of a copy', (name) => {
  expect(isProtective(name)).toBe(true);
});

test.each([
  ...['access_key_id', 'secret_access_key', 'access_token', 'accessKeyId', 'private_key', 'private_key_id', 'api_key'],
  ...['identity_token_audience', 'identity_token_key', 'identity_token_ttl', 'service_account_email', 'role_arn'],
  ...[
    'key_vault_uri',
    'keyVaultName',
    'client_id',
    'tenant_id',
    'cloud',
    'project_id',
    'region',
    'endpoint',
    'team_id',
  ],
  ...['custom_tags', 'tags_to_remove', 'purge', 'force_delete', 'granularity', 'secret_name_template', 'nonsense'],
  ...['keyboard', 'monkey', 'turnkey_name', 'regional', 'sub_key', '', '_', 'x'.repeat(100_000)],
])('%s does not concern the protection of a copy', (name) => {
  expect(isProtective(name)).toBe(false);
});

describe.each(definitions)('an unknown field of $type', (definition) => {
  const refuses = refusesUnprotected(definition);

  test('that concerns protection is refused by its name, unless its value is empty', () => {
    expect(refuses('cmek_name', 'k')).toContain(`unknown field "cmek_name": type ${definition.type}`);
    expect(refuses('replicas', ['eu'])).toContain('replicas');
    expect(refuses('encrypt', true)).toContain('encrypt');
    for (const empty of [null, '', false, [], {}]) expect(refuses('cmek_name', empty)).toBeUndefined();
  });

  test('of another type is refused if it concerns protection, and otherwise not', () => {
    const own = { ...commonFields(definition), ...mergeFields(definition), ...definition.fields };
    const foreign = definitions.flatMap(({ fields }) => Object.keys(fields)).filter((name) => !(name in own));
    const refused = [...new Set(foreign.filter((name) => refuses(name, 'x') !== undefined))].toSorted();
    const protecting = ['global_kms_key', 'kms_key_id', 'locational_kms_keys', 'organization_visibility'];
    const all = [...protecting, 'replica_regions', 'replication_locations', 'sensitive'].filter(
      (name) => !(name in own),
    );
    expect(refused).toEqual(all.toSorted());
  });
});
