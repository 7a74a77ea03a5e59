// Beyond the usual files: a put of an organization secret names the repositories that see it, by ids that must be looked up.
import { z } from 'zod';
import { cannot } from '../../frame/verb/verb.ts';
import type { Call } from '../exchange.ts';
import { refusal, strangeHost } from '../failure.ts';
import type { Connection } from '../fields/fields.ts';
import type { Client } from './client.ts';

/**
 * The members of a put that determine which repositories see a secret. A put of an organization secret without them resets the
 * visibility, so every put has them.
 */
export type Access =
  | Readonly<Record<string, never>>
  | { readonly visibility: 'all' | 'private' }
  | { readonly visibility: 'selected'; readonly selected_repository_ids: readonly number[] };

/** Look-ups in flight at once. */
const lookUpsMax = 4;

/** Looks up the ids of the repositories, as the API accepts no names. @throws DestinationFailure missing, naming an unknown repository */
export async function fetchAccess(client: Client, connection: Connection, signal: AbortSignal): Promise<Access> {
  if (connection.secrets_location !== 'organization') return {};
  const { organization_name: org = '', organization_visibility: visibility = 'private' } = connection;
  if (visibility !== 'selected') return { visibility };
  const names = [...new Set(connection.selected_repository_names ?? [])];
  const ids: number[] = [];
  for (let at = 0; at < names.length; at += lookUpsMax) {
    const batch = names.slice(at, at + lookUpsMax);
    ids.push(...(await Promise.all(batch.map((name) => repositoryId(client, org, name, signal)))));
  }
  return { visibility, selected_repository_ids: ids };
}

/** Ids rarely change, but a repository may be deleted and created anew under its old name. */
export const accessFreshMs = 10 * 60_000;

const repositoryBody = z.object({ id: z.int().positive() });

async function repositoryId(client: Client, owner: string, repo: string, signal: AbortSignal): Promise<number> {
  const step = `look up repository ${owner}/${repo}, named in selected_repository_names`;
  const rights = 'the repository permission "Metadata: read" on it';
  const call: Call = { route: 'GET /repos/{owner}/{repo}', parameters: { owner, repo }, step, rights };
  const answer = await client.call(call, signal);
  if (answer.status !== 200) throw refusal(answer, call);
  const body = repositoryBody.safeParse(answer.data);
  if (body.success) return body.data.id;
  throw cannot(step, strangeHost());
}
