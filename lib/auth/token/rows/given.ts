import { badRequest, permissionDenied } from '../../../core/errors.ts';
import { isWithin, type Namespace, onlyRoot } from '../../../core/namespace.ts';
import { Secret } from '../../../core/secret.ts';
import type { Caller, RequestContext } from '../../../path/contract/request.ts';
import { duration, secretPathText, text } from '../../../path/fields.ts';
import type { Grants } from '../../identity/facts/grants.ts';
import { type Identities, openIdentities } from '../../identity/facts/open.ts';
import { entityOfRow } from '../../policy/store/holder.ts';
import { type FindToken, tokenFinder } from '../find/find.ts';
import { findByAccessor, type TokenRow } from '../find/store.ts';
import type { TokenParts } from '../parts.ts';

/** What the rows of tokens are made with. */
export interface RowParts extends TokenParts {
  readonly find: FindToken;
  readonly identities: Identities;
}

export const rowPartsOf = (parts: TokenParts): RowParts => ({
  ...parts,
  find: tokenFinder(parts.store),
  identities: parts.identities ?? openIdentities(parts.store),
});

/** The policies that the entity of a token and its groups bring at the moment. */
export async function identityPolicies({ identities }: RowParts, row: TokenRow): Promise<Grants> {
  return (await identities.factsOf(entityOfRow(row))).policies;
}

export const tokenField = text().default('').meta({ description: 'The token', sensitive: true });
export const accessorField = text().default('').meta({ description: 'Accessor of the token' });
export const incrementField = duration()
  .default(0)
  .meta({ description: 'Seconds from now that are asked for; default: as many as at the last renewal' });
/** Older clients have the token in the path. */
export const tokenInPath = secretPathText('The token');

/** @throws AppError `bad-request` when no token was sent */
export function mustBeGiven(token: string): Secret {
  if (token === '') throw badRequest('missing token ID');
  return new Secret(token);
}

/** @throws AppError `bad-request` when no accessor was sent */
export async function byAccessor(
  parts: TokenParts,
  accessor: string,
  { namespace }: Pick<RequestContext, 'namespace'>,
): Promise<TokenRow | undefined> {
  if (accessor === '') throw badRequest('missing accessor');
  return seenFrom(parts, namespace, await findByAccessor(parts.store, accessor));
}

/** A token as it is seen from a namespace: one that is neither of it nor of one below is not there. */
export async function seenFrom(
  { namespaces = onlyRoot }: TokenParts,
  namespace: Namespace,
  row: TokenRow | undefined,
): Promise<TokenRow | undefined> {
  if (row === undefined || row.namespace_id === namespace.id) return row;
  const own = await namespaces.namespaceOf(row.namespace_id);
  return own !== undefined && isWithin(own, namespace) ? row : undefined;
}

/** @throws AppError `bad-request` */
export function mustBeKnown(row: TokenRow | undefined): TokenRow {
  if (row === undefined) throw badRequest('1 error occurred:\n\t* invalid accessor\n\n');
  return row;
}

export function callerOf(context: RequestContext): Caller {
  if (context.caller === undefined) throw permissionDenied();
  return context.caller;
}

/** The token of the caller as it was let in: looked up again, one whose last use this is might be gone. */
export function ownRow(context: RequestContext): TokenRow {
  const { row } = callerOf(context);
  if (row === undefined) throw permissionDenied();
  return row;
}
