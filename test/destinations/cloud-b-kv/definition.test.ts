import { expect, test } from 'vitest';
import { definition } from '#destinations/cloud-b-kv/index.ts';
import { connect } from './setup.ts';

const good = {
  key_vault_uri: 'https://my-vault.vault.azure.net/',
  tenant_id: '72f988bf-86f1-41af-91ab-2d7cd011db47',
  client_id: '7f59af3d-1111-2222-3333-444444444444',
  client_secret: 'hush~s3cr3t',
};
const problems = (over: Record<string, unknown>) =>
  definition.validate(connect({ ...good, ...over })).map(({ text }) => text);

test.each([
  {},
  { cloud: 'cloud' },
  { cloud: 'public' },
  { cloud: '' },
  { cloud: 'azurechinacloud', key_vault_uri: 'https://my-vault.vault.azure.cn' },
  { cloud: 'usgovernment', key_vault_uri: 'https://my-vault.vault.usgovcloudapi.net' },
  { key_vault_uri: 'https://any.example.com', endpoint: 'https://10.0.0.1:8443/' },
  { authority_host: 'https://login.example.com', tenant_id: 'example.onmicrosoft.com' },
])('%j is a valid connection', (over) => {
  expect(problems(over)).toEqual([]);
});

test.each([
  [{ key_vault_uri: 'my-vault' }, 'key_vault_uri'],
  [{ key_vault_uri: 'http://my-vault.vault.azure.net' }, 'key_vault_uri'],
  [{ key_vault_uri: 'https://my-vault.vault.azure.net/secrets/x' }, 'key_vault_uri'],
  [{ key_vault_uri: 'https://evil.example.com' }, 'endpoint'],
  [{ key_vault_uri: 'https://my-vault.vault.azure.net', cloud: 'china' }, 'vault.azure.cn'],
  [{ cloud: 'mars' }, 'one of cloud, AzurePublicCloud, AzureChinaCloud, AzureUSGovernmentCloud'],
  [{ tenant_id: '../x' }, 'tenant_id'],
  [{ client_id: ' ' }, 'client_id'],
  [{ client_secret: '' }, 'client_secret'],
  [{ authority_host: 'http://login.example.com' }, 'authority_host'],
  [{ endpoint: 'http://10.0.0.1' }, 'endpoint'],
])('%j is refused with a text that names %s', (over, text) => {
  const found = problems(over);
  expect(found).toHaveLength(1);
  expect(found[0]).toContain(text);
  expect(found[0]).not.toContain('s3cr3t');
});

test('a rendered default name is normalised to a valid one', () => {
  const name = definition.names.normalise('keyferry/kv_1234/päth/🗝/key');
  expect(name).toBe('keyferry-kv-1234-p-th---key');
  expect(definition.names.refuse(name)).toBeUndefined();
});

test('tags beyond the limits of the vault or with the keys of built-in ones are refused', () => {
  const { tags } = definition;
  expect(tags.normalise({ 'any key': 'any välue' })).toEqual({ 'any key': 'any välue' });
  const many = Object.fromEntries(Array.from({ length: 14 }, (_, index) => [`tag-${index}`, '']));
  for (const bad of [{ Keyferry: 'x' }, { 'keyferry-mark': 'x' }, { '': 'x' }, { long: 'x'.repeat(257) }, many]) {
    expect(() => tags.normalise(bad)).toThrow(/custom_tags/);
  }
});
