import { createHash } from 'node:crypto';
import type { Reply, ReplyWith } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';

/** What a read shows, with a version that is another one when something else is shown. */
export interface Shown {
  readonly data: { readonly version: string } & object;
}

/** @param without whether a member makes no new version */
export const versioned = <D extends object>(
  data: D,
  without: (name: string) => boolean = () => false,
): { readonly data: { readonly version: string } & D } => ({ data: { version: versionOf(data, without), ...data } });

const versionOf = (data: object, without: (name: string) => boolean): string =>
  createHash('sha256')
    .update(JSON.stringify(data, (name, value: unknown) => (without(name) ? undefined : value)))
    .digest('base64url')
    .slice(0, 22);

/** The `replies` of an operation whose reply has an entity tag. */
export const mayBeKnown = { 304: 'none' } as const;

/** With the version as its entity tag, and without a body when the caller has that version (RFC 9110, section 13.1.2). */
export function tagged(shown: Shown, { headers }: Pick<RequestContext, 'headers'>): Reply | ReplyWith<304> {
  const etag = `"${shown.data.version}"`;
  const known = String(headers['if-none-match'] ?? '')
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''));
  if (known.includes(etag) || known.includes('*')) return { status: 304, headers: { etag } };
  return { ...shown, headers: { etag } };
}
