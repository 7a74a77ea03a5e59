import { badField, permissionDenied } from '#core/errors.ts';
import { isWithin, type Namespace } from '#core/namespace.ts';
import { Secret } from '#core/secret.ts';
import type { Caller, RequestContext } from '#path/contract/request.ts';
import { duration, secretPathText, text } from '#path/fields.ts';
import type { Grants } from '../../policy/store/facts.ts';
import { entityOfRow } from '../../policy/store/holder.ts';
import { type FindToken, tokenFinder } from '../find/find.ts';
import { findByAccessor, type TokenRow } from '../find/store.ts';
import type { TokenParts } from '../parts.ts';

/** What the rows of tokens need. */
export interface RowParts extends TokenParts {
  readonly find: FindToken;
}

export const rowPartsOf = (parts: TokenParts): RowParts => ({ ...parts, find: tokenFinder(parts.store) });

/** The present policies of the entity of a token and of its groups. */
export async function identityPolicies({ identities }: RowParts, row: TokenRow): Promise<Grants> {
  return (await identities.factsOf(entityOfRow(row))).policies;
}

export const tokenField = text().default('').meta({ description: 'The token', sensitive: true });
export const accessorField = text().default('').meta({ description: 'Accessor of the token' });
export const incrementField = duration()
  .default(0)
  .meta({ description: 'Requested lifetime from now on in seconds; default: that of the last renewal' });
/** Older clients send the token in the path. */
export const tokenInPath = secretPathText('The token');

/** @throws AppError `bad-request` when the request names no token */
export function mustBeGiven(token: string): Secret {
  if (token === '') throw badField('token', 'missing token ID');
  return new Secret(token);
}

/** @throws AppError `bad-request` when the request names no accessor */
export async function byAccessor(
  parts: TokenParts,
  accessor: string,
  { namespace }: Pick<RequestContext, 'namespace'>,
): Promise<TokenRow | undefined> {
  if (accessor === '') throw badField('accessor', 'missing accessor');
  return visibleFrom(parts, namespace, await findByAccessor(parts.store, accessor));
}

/** A token if it is visible from a namespace: it belongs to that namespace or to one below. */
export async function visibleFrom(
  { namespaces }: TokenParts,
  namespace: Namespace,
  row: TokenRow | undefined,
): Promise<TokenRow | undefined> {
  if (row === undefined || row.namespace_id === namespace.id) return row;
  const own = await namespaces.namespaceOf(row.namespace_id);
  return own !== undefined && isWithin(own, namespace) ? row : undefined;
}

/** @throws AppError `bad-request` */
export function mustBeKnown(row: TokenRow | undefined): TokenRow {
  if (row === undefined) {
    const rule = 'invalid accessor';
    throw badField('accessor', `1 error occurred:\n\t* ${rule}\n\n`, { rule });
  }
  return row;
}

export function callerOf(context: RequestContext): Caller {
  if (context.caller === undefined) throw permissionDenied();
  return context.caller;
}

/** The token of the caller as the request was authenticated with it. A new look-up could miss a token in its last use. */
export function ownRow(context: RequestContext): TokenRow {
  const { row } = callerOf(context);
  if (row === undefined) throw permissionDenied();
  return row;
}
