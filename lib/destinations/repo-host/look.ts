import { z } from 'zod';
import type { Inspection, ListPage } from '../contract.ts';
import { unknownIfForbidden } from '../frame/rules/found.ts';
import type { Client } from './client/client.ts';
import { fetchPublicKey } from './client/public-key.ts';
import type { Call } from './exchange.ts';
import { hostNow, refusal, strangeHost } from './failure.ts';
import type { Location } from './fields/location.ts';

/** What the host shows of a secret. */
export interface SecretRecord {
  readonly createdAt: Date;
  /** In the host's format; changes with each put, in steps of a second. */
  readonly updatedAt: string;
  /** How far the host's clock is ahead of ours, in milliseconds, less the time of the answer's transfer. */
  readonly clockAheadMs: number;
}

/** Looks at one secret of a location. Undefined for 404, which the host also answers when the location does not exist. */
export async function look(
  client: Client,
  location: Location,
  name: string,
  signal: AbortSignal,
): Promise<SecretRecord | undefined> {
  const call = callOn('GET', location, name);
  const answer = await client.call(call, signal);
  if (answer.status === 404) return undefined;
  if (answer.status !== 200) throw refusal(answer, call);
  const body = recordBody.safeParse(answer.data);
  if (!body.success) throw strangeHost();
  return {
    createdAt: new Date(body.data.created_at),
    updatedAt: body.data.updated_at,
    clockAheadMs: hostNow(answer).getTime() - answer.receivedAt.getTime(),
  };
}

/** A request on one secret of a location. */
export const callOn = (method: 'GET' | 'PUT' | 'DELETE', location: Location, name: string): Call => ({
  route: `${method} ${location.route}/{secret_name}`,
  parameters: { ...location.parameters, secret_name: name },
  where: location.text,
  rights: location.rights,
});

const moment = z.iso.datetime({ offset: true });
const recordBody = z.object({ created_at: moment, updated_at: moment });

/**
 * `inspect` of a driver. A 404 may mean the location, so the public key of the location is then read, which fails in that case.
 */
export async function inspect(
  client: Client,
  location: Location,
  name: string,
  signal: AbortSignal,
): Promise<Inspection | undefined | 'unknown'> {
  const record = await look(client, location, name, signal).catch(unknownIfForbidden);
  if (record === 'unknown') return record;
  if (record !== undefined) return { remoteVersion: record.updatedAt, mark: null };
  await fetchPublicKey(client, location, signal);
  return undefined;
}

/** The host's maximum. */
const pageSize = 100;

/** A page of a location. The host cannot select by name. `after` is the number of the page before. */
export async function list(
  client: Client,
  { route, parameters, text: where, rights }: Location,
  after: string | null,
  signal: AbortSignal,
): Promise<ListPage> {
  const page = Number(after ?? 0) + 1;
  const call = { route: `GET ${route}`, parameters: { ...parameters, per_page: pageSize, page }, where, rights };
  const answer = await client.call(call, signal);
  if (answer.status !== 200) throw refusal(answer, call);
  const body = pageBody.safeParse(answer.data);
  if (!body.success) throw strangeHost();
  const { secrets, total_count } = body.data;
  const objects = secrets.map(({ name, updated_at: updatedAt }) => {
    return { name, remoteVersion: updatedAt, changedAt: new Date(updatedAt), mark: null };
  });
  return { objects, after: secrets.length > 0 && page * pageSize < total_count ? String(page) : null };
}

const pageBody = z.object({ total_count: z.number(), secrets: z.array(recordBody.extend({ name: z.string() })) });
