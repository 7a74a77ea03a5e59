import { sign } from 'node:crypto';
import { z } from 'zod';
import { openDriver } from '#destinations/cloud-c-sm/driver.ts';
import { startFake } from '#destinations/cloud-c-sm/fake/index.ts';
import { type Connection, definition } from '#destinations/cloud-c-sm/index.ts';
import type { PutItem } from '#destinations/contract.ts';
import type { Fake } from '#destinations/fake.ts';
import { putOf, type Setting, startSetting } from '../driving.ts';

export { contextFor, failureOf, never, type Setting } from '../driving.ts';

export const markA = 'a'.repeat(32);
export const markB = 'b'.repeat(32);

export const start = (fields: Record<string, unknown> = {}): Promise<Setting> =>
  startSetting(startFake, (body, context) => openDriver(connect(body), context), fields);

export function connect(input: Record<string, unknown>): Connection {
  const parsed = z.object(definition.fields).parse(input);
  const { project_id, replication_locations, locational_kms_keys, global_kms_key, endpoint, tls_ca_cert } = parsed;
  const { kms_key_id, replica_regions } = parsed;
  const optional = { project_id, replication_locations, locational_kms_keys, global_kms_key, endpoint, tls_ca_cert };
  return { ...parsed, ...optional, kms_key_id, replica_regions };
}

type Changes = Partial<Omit<PutItem, 'value'>> & { readonly value?: string };

export function item({ value = '{"password":"s3cr3t-m4rker"}', mark = markA, ...changes }: Changes = {}): PutItem {
  return putOf('keyferry-kv-1234-db', value, mark, { tags: definition.tags.builtIn(mark), ...changes });
}

/** A call of another client, without the driver. */
export async function callFake(fake: Fake, method: string, path: string, body?: object): Promise<unknown> {
  const shape = z.object({
    client_email: z.string(),
    private_key: z.string(),
    private_key_id: z.string(),
    project_id: z.string(),
  });
  const account = shape.parse(JSON.parse(String(fake.destination['credentials'])));
  const now = Math.floor(Date.now() / 1000);
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const scope = 'https://www.googleapis.com/auth/cloud-platform';
  const claims = { iss: account.client_email, sub: account.client_email, scope, iat: now, exp: now + 60 };
  const unsigned = `${encode({ alg: 'RS256', typ: 'JWT', kid: account.private_key_id })}.${encode(claims)}`;
  const token = `${unsigned}.${sign('RSA-SHA256', Buffer.from(unsigned), account.private_key).toString('base64url')}`;
  const init = { method, headers: { authorization: `Bearer ${token}` } };
  const sent = body === undefined ? init : { ...init, body: JSON.stringify(body) };
  const answer = await fetch(`${fake.url}/v1/projects/${account.project_id}/secrets${path}`, sent);
  return answer.json();
}
