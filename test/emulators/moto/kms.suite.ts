import { randomUUID } from 'node:crypto';
import { describe, expect, inject, test } from 'vitest';
import { openKeyService } from '#key-services/cloud-a-kms/index.ts';
import { outerKeyBy } from '#key-services/outer-key.ts';
import { CipherError } from '#store/encryption/cipher.ts';
import { newMaterial } from '#store/seal/start/material.ts';
import { headersFor, region } from './api.ts';

const calm = new AbortController().signal;
const rule = { shares: 0, threshold: 0 };

/** A call without our client. */
async function kms(operation: string, body: object): Promise<Record<string, unknown>> {
  const headers = { ...headersFor(operation), 'x-amz-target': `TrentService.${operation}` };
  headers.authorization = headers.authorization.replace('/secretsmanager/', '/kms/');
  const response = await fetch(inject('trial').emulator, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
}

async function newKey(): Promise<string> {
  const { KeyMetadata } = await kms('CreateKey', {});
  return (KeyMetadata as { readonly Arn: string }).Arn;
}

const keyAt = (keyId: string) =>
  outerKeyBy(
    openKeyService({ keyId, region, endpoint: inject('trial').emulator }, async () => ({
      accessKeyId: 'moto',
      secretAccessKey: 'moto',
    })),
  );

describe('a seal by the key service of moto', () => {
  test('opens the root key that it wrapped, also by an alias and after a rotation', async () => {
    const arn = await newKey();
    const alias = `alias/${randomUUID()}`;
    await kms('CreateAlias', { AliasName: alias, TargetKeyId: arn });
    const outerKey = keyAt(alias);
    const { record, rootKey } = await newMaterial(rule, outerKey, new Date());
    expect(record.key_id).toBe(arn);
    expect(await outerKey.openRootKey(record, calm)).toEqual(rootKey);
    await kms('RotateKeyOnDemand', { KeyId: arn });
    expect(await keyAt(arn).openRootKey(record, calm)).toEqual(rootKey);
  });

  test('does not open a root key of another key or of another installation', async () => {
    const outerKey = keyAt(await newKey());
    const { record } = await newMaterial(rule, outerKey, new Date());
    // moto answers AccessDeniedException here, the service IncorrectKeyException.
    await expect(keyAt(await newKey()).openRootKey(record, calm)).rejects.toThrow(/key/);
    await expect(outerKey.openRootKey({ ...record, cluster_id: 'another' }, calm)).rejects.toThrow(CipherError);
  });

  // The suite does not test a disabled key, because moto decrypts with it.
  test('advises on a missing key', async () => {
    const arn = await newKey();
    const missing = keyAt(arn.replace(/[^/]+$/, '00000000-0000-4000-8000-000000000000'));
    await expect(newMaterial(rule, missing, new Date())).rejects.toThrow(/the key does not exist/);
  });
});
