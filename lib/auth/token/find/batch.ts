import { timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { AppError } from '#core/errors.ts';
import { rootNamespace, suffixOf } from '#core/namespace.ts';
import type { Secret } from '#core/secret.ts';
import type { Barrier } from '#store/store.ts';
import type { EntityState } from './entity-state.ts';
import type { Revisions, TokenRow } from './store.ts';
import { hashToken } from './store.ts';

/**
 * A batch token has no row: its text holds everything about it, sealed by the barrier. A keyed hash comes first, so that a forged
 * text is refused before a key of the keyring is read.
 */
const prefix = 'hvb.';
const aad = 'tokens/batch';
const macBytes = 16;

const content = z.object({
  /** Hash of the parent in base64; null for none. */
  parent: z.string().nullable(),
  policies: z.array(z.string()),
  meta: z.record(z.string(), z.string()).nullable(),
  displayName: z.string(),
  path: z.string(),
  /** Milliseconds since 1970. */
  created: z.int(),
  /** Seconds. */
  ttl: z.int(),
  entityId: z.string(),
  role: z.string(),
  boundCidrs: z.array(z.string()),
  /** Accessor of the auth mount of the login; empty for none, or for a token of an older release. */
  mountAccessor: z.string().default(''),
  /** Absent in tokens from before namespaces existed. */
  namespaceId: z.string().default(rootNamespace.id),
});

/** The content of a batch token. */
export type BatchContent = Readonly<z.output<typeof content>>;

export const isBatch = (token: Secret): boolean => token.reveal().startsWith(prefix);

/** The text of a new batch token. */
export function sealBatch(barrier: Barrier, token: BatchContent): string {
  const sealed = barrier.seal(JSON.stringify(token), aad);
  return prefix + Buffer.concat([macOf(barrier, sealed), sealed]).toString('base64url') + suffixOf(token.namespaceId);
}

/**
 * Opens the text of a batch token. Undefined when the service did not make exactly this text: another text that decodes to the same
 * bytes would have a different hash.
 *
 * @throws AppError `unavailable` while a new key is being read
 */
export function openBatch(barrier: Barrier, token: Secret): BatchContent | undefined {
  const [, text = '', suffix = ''] = /^hvb\.([\w-]+)(\..+)?$/.exec(token.reveal()) ?? [];
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.toString('base64url') !== text) return undefined;
  const sealed = bytes.subarray(macBytes);
  if (sealed.length === 0 || !timingSafeEqual(bytes.subarray(0, macBytes), macOf(barrier, sealed))) return undefined;
  try {
    const batch = content.parse(JSON.parse(barrier.open(sealed, aad).toString('utf8')));
    return suffix === suffixOf(batch.namespaceId) ? batch : undefined;
  } catch (error) {
    if (error instanceof AppError && error.kind !== 'internal') throw error;
    return undefined;
  }
}

export const parentOfBatch = ({ parent }: BatchContent): Buffer | undefined =>
  parent === null ? undefined : Buffer.from(parent, 'base64');

/** The token in the form of a row. Undefined when it has expired. */
export function batchRow(
  barrier: Barrier,
  token: Secret,
  batch: BatchContent,
  seen: Revisions & EntityState,
): TokenRow | undefined {
  const expires = new Date(batch.created + batch.ttl * 1_000);
  if (expires <= seen.seen_at) return undefined;
  return {
    ...seen,
    hash: hashToken(barrier, token),
    namespace_id: batch.namespaceId,
    accessor: '',
    policies: batch.policies,
    meta: batch.meta,
    display_name: batch.displayName,
    path: batch.path,
    type: 'batch',
    num_uses: 0,
    period: 0,
    explicit_max_ttl: 0,
    creation_ttl: batch.ttl,
    creation_time: new Date(batch.created),
    expire_at: expires,
    last_renewal_at: null,
    renewable: false,
    orphan: batch.parent === null,
    role: batch.role,
    bound_cidrs: batch.boundCidrs,
  };
}

const macOf = (barrier: Barrier, sealed: Uint8Array): Buffer =>
  barrier.mac('batch-token', sealed).subarray(0, macBytes);
