import { Agent, fetch } from 'undici';
import { z } from 'zod';
import { openDriver } from '#destinations/cloud-b-kv/driver.ts';
import { startFake } from '#destinations/cloud-b-kv/fake/index.ts';
import { type Connection, definition } from '#destinations/cloud-b-kv/index.ts';
import type { PutItem } from '#destinations/contract.ts';
import type { Fake } from '#destinations/fake.ts';
import { putOf, type Setting, startSetting } from '../driving.ts';

export { contextFor, failureOf, never, type Setting } from '../driving.ts';

export const markA = 'a'.repeat(32);
export const markB = 'b'.repeat(32);

export const start = (fields: Record<string, unknown> = {}): Promise<Setting> =>
  startSetting(startFake, (body, context) => openDriver(connect(body), context), fields);

export function connect(input: Record<string, unknown>): Connection {
  const { authority_host, endpoint, tls_ca_cert, ...others } = z.object(definition.fields).parse(input);
  return { ...others, authority_host, endpoint, tls_ca_cert };
}

type Changes = Partial<Omit<PutItem, 'value'>> & { readonly value?: string };

export function item({ value = '{"password":"s3cr3t-m4rker"}', mark = markA, ...changes }: Changes = {}): PutItem {
  return putOf('keyferry-kv-1234-db', value, mark, { tags: definition.tags.builtIn(mark), ...changes });
}

/** A call of another client, without the driver. */
export async function callFake(fake: Fake, method: string, path: string, body?: object): Promise<unknown> {
  const { tenant_id, client_id, client_secret, tls_ca_cert } = connect(fake.destination);
  const dispatcher = new Agent({ connect: { ca: tls_ca_cert ?? '' } });
  const form = {
    grant_type: 'client_credentials',
    client_id,
    client_secret,
    scope: 'https://vault.azure.net/.default',
  };
  const login = { method: 'POST', body: new URLSearchParams(form).toString(), dispatcher };
  const answer = await fetch(`${fake.url}/${tenant_id}/oauth2/v2.0/token`, login);
  const { access_token } = z.object({ access_token: z.string() }).parse(await answer.json());
  const init = { method, headers: { authorization: `Bearer ${access_token}` }, dispatcher };
  const sent = body === undefined ? init : { ...init, body: JSON.stringify(body) };
  const called = await fetch(`${fake.url}${path}?api-version=7.6`, sent);
  const read = await called.json();
  await dispatcher.close();
  return read;
}
