import type { Client } from '#client/client.ts';
import { sync } from '#client/operations/sync.ts';
import { CallFailure } from '#client/wire/failure.ts';
import { isObject, memberOf, textOf, type Value } from '#client/wire/json.ts';
import type { Context } from '../../context.ts';
import type { Exit } from '../../failure.ts';
import { type Rows, rowsOf } from '../../output/result.ts';
import { permitted } from '../../permitted.ts';
import type { Given } from '../../verb.ts';
import { matching, type Target } from './target.ts';
import { untilTrue } from './until.ts';

/** A copy of a secret, or of one of its keys, with its state. */
export interface Copy {
  readonly [key: string]: Value;
  readonly destination: string;
  readonly secret: string;
  readonly status: string;
}

/** The copies in `associated_secrets` of a destination, or in `associated_destinations` of a secret. */
export function copiesIn(data: Value | undefined, about: Readonly<Record<string, string>> = {}): readonly Copy[] {
  const found = memberOf(data, 'associated_secrets') ?? memberOf(data, 'associated_destinations');
  return Object.values(isObject(found) ? found : {}).map((record) => ({
    destination: about['destination'] ?? `${textOf(record, 'type')}/${textOf(record, 'name')}`,
    secret: about['secret'] ?? `${textOf(record, 'mount')}/${textOf(record, 'secret_name')}`,
    key: textOf(record, 'sub_key'),
    status: textOf(record, 'sync_status'),
    error: textOf(record, 'error', 'message'),
    external_name: textOf(record, 'external_name'),
    attempts: memberOf(record, 'attempts') ?? null,
    updated_at: textOf(record, 'updated_at'),
    next_attempt_at: textOf(record, 'next_attempt_at'),
  }));
}

export const copyTable = (copies: readonly Copy[]): Rows =>
  rowsOf({ destination: 'destination', secret: 'secret', key: 'key', status: 'status', error: 'error' }, copies, {
    external_name: 'external name',
    attempts: 'attempts',
    updated_at: 'updated',
    next_attempt_at: 'next attempt',
  });

const isError = ({ status }: Copy): boolean => status.endsWith('_ERROR');

/** Failed when all copies failed, and "some failed" when some did. */
export function exitOf(copies: readonly Copy[]): Exit {
  const failed = copies.filter(isError).length;
  if (failed === 0) return 'done';
  return failed === copies.length ? 'failed' : 'someFailed';
}

export const isSettled = ({ status }: Copy): boolean => status !== 'PENDING' && status !== 'UNKNOWN';

/** The copies of a secret everywhere. */
export async function copiesOfSecret(client: Client, mount: string, secret_name: string): Promise<readonly Copy[]> {
  const { data } = await client.call(sync.destinationsOf, {}, { mount, secret_name }).catch(noneThere);
  return copiesIn(data, { secret: `${mount}/${secret_name}` });
}

interface Secret {
  readonly mount: string;
  /** Below the mount. */
  readonly path: string;
}

/**
 * Waits until the copies of a secret are up to date, gone or failed.
 * @param target only the copies there
 * @param first sees the copies before the wait, and may end it by an error
 */
export async function settledCopies(
  context: Context,
  given: Given,
  { mount, path }: Secret,
  target: Target | undefined,
  first: (copies: readonly Copy[]) => void = () => {},
): Promise<readonly Copy[]> {
  let copies: readonly Copy[] | undefined;
  await untilTrue(context, given, `keyferry records list --mount ${mount} --secret ${path}`, async () => {
    const found = await (target === undefined
      ? copiesOfSecret(context.client, mount, path)
      : copiesOfSecretAt(context.client, mount, path, target));
    if (copies === undefined) first(found);
    copies = found;
    return copies.every(isSettled);
  });
  return copies ?? [];
}

/** A token that may only read the associations of the destination finds the secret among these. */
async function copiesOfSecretAt(client: Client, mount: string, path: string, target: Target): Promise<readonly Copy[]> {
  const everywhere = await permitted(copiesOfSecret(client, mount, path));
  if (everywhere !== undefined) return matching(everywhere, target, (copy) => copy.destination);
  const found: Copy[] = [];
  for await (const page of copiesAt(client, target))
    found.push(...page.filter(({ secret }) => secret === `${mount}/${path}`));
  return found;
}

/** Secrets of one page. */
const pageSize = 1_000;
/** More associations than a destination has. */
const pagesMax = 100_000;

/** The copies at a destination, page by page. */
export async function* copiesAt(client: Client, target: Target): AsyncGenerator<readonly Copy[]> {
  let after = '';
  for (let page = 0; page < pagesMax; page += 1) {
    const { data } = await client.call(sync.associationsOf, target, { limit: pageSize, after: after || undefined });
    yield copiesIn(data, { destination: `${target.type}/${target.name}` });
    after = textOf(data, 'next');
    if (after === '') return;
  }
}

/** A secret without associations gets 404. */
export function noneThere(error: unknown): { readonly data: undefined } {
  if (error instanceof CallFailure && error.status === 404) return { data: undefined };
  throw error;
}
