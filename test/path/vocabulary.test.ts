import { expect, test } from 'vitest';
import { ownText } from '#path/documents/own-text.ts';
import {
  canonicalField,
  canonicalPath,
  canonicalType,
  fieldName,
  pathName,
  sealedText,
  statusName,
  typeName,
  wordName,
} from '#path/vocabulary.ts';
import { allTypeNames } from '../support/type-names.ts';

test.each([
  ['cloud-a-sm', 'aws-sm'],
  ['cloud-b-kv', 'azure-kv'],
  ['cloud-c-sm', 'gcp-sm'],
  ['repo-host', 'gh'],
  ['deploy-host-project', 'vercel-project'],
  ['workspace-vars', 'hcp-terraform'],
  ['orchestrator', 'kubernetes'],
])('the type %s is %s to existing clients', (canonical, alias) => {
  expect(typeName(allTypeNames, canonical, 'alias')).toBe(alias);
  expect(typeName(allTypeNames, canonical, 'canonical')).toBe(canonical);
  expect(canonicalType(allTypeNames, alias)).toBe(canonical);
  expect(canonicalType(allTypeNames, canonical)).toBe(canonical);
});

test.each(['kv', 'constructor', '__proto__', ''])('the type %j has one name', (type) => {
  expect(typeName(allTypeNames, type, 'alias')).toBe(type);
  expect(canonicalType(allTypeNames, type)).toBe(type);
});

test('statuses, fields and the sealed text have both names', () => {
  expect(statusName('INTERNAL_ERROR', 'alias')).toBe('INTERNAL_VAULT_ERROR');
  expect(statusName('SYNCED', 'alias')).toBe('SYNCED');
  expect(fieldName('engine-version', 'alias')).toBe('terraform-version');
  expect(canonicalField('kubernetes_ca_cert')).toBe('orchestrator_ca_cert');
  expect(['repo-host', 'INTERNAL_ERROR', 'SYNCED'].map((word) => wordName(allTypeNames, word, 'alias'))).toEqual([
    'gh',
    'INTERNAL_VAULT_ERROR',
    'SYNCED',
  ]);
  expect([sealedText('canonical'), sealedText('alias')]).toEqual(['Service is sealed', 'Vault is sealed']);
});

test.each([
  ['sys/sync/destinations/aws-sm', 'sys/sync/destinations/cloud-a-sm'],
  ['sys/sync/destinations/aws-sm/', 'sys/sync/destinations/cloud-a-sm/'],
  ['sys/sync/destinations/gh/gh/associations', 'sys/sync/destinations/repo-host/gh/associations'],
  ['sys/sync/destinations/cloud-a-sm/x', 'sys/sync/destinations/cloud-a-sm/x'],
  ['sys/sync/destinations/', 'sys/sync/destinations/'],
  ['sys/sync/destinations/*', 'sys/sync/destinations/*'],
  ['sys/sync/github-apps/gh', 'sys/sync/github-apps/gh'],
  ['sys/mounts/aws-sm', 'sys/mounts/aws-sm'],
  ['aws-sm/x', 'aws-sm/x'],
])('the path %s is %s', (path, canonical) => {
  expect(canonicalPath(allTypeNames, path)).toBe(canonical);
  expect(canonicalPath(allTypeNames, canonical)).toBe(canonical);
  expect(canonicalPath(allTypeNames, pathName(allTypeNames, canonical, 'alias'))).toBe(canonical);
  expect(pathName(allTypeNames, canonical, 'canonical')).toBe(canonical);
});

test.each([
  ['one of cloud-a-sm, repo-host.', 'one of aws-sm, gh.'],
  ['`cloud-a-sm/{name}` or "INTERNAL_ERROR"', '`aws-sm/{name}` or "INTERNAL_VAULT_ERROR"'],
  ['orchestrator_host, orchestrator', 'kubernetes_host, kubernetes'],
  [
    'my-cloud-a-sm, cloud-a-sm-2, cloud-a-small, orchestrators',
    'my-cloud-a-sm, cloud-a-sm-2, cloud-a-small, orchestrators',
  ],
])('our text "%s" becomes "%s"', (text, shown) => {
  expect(ownText(allTypeNames, text, 'alias')).toBe(shown);
  expect(ownText(allTypeNames, text, 'canonical')).toBe(text);
});
