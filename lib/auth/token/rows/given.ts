import { badRequest, permissionDenied } from '../../../core/errors.ts';
import { Secret } from '../../../core/secret.ts';
import { duration, pathText, text } from '../../../path/fields.ts';
import type { Caller, RequestContext } from '../../../path/row.ts';
import { type Identities, openIdentities } from '../../identity/facts/open.ts';
import { holderOfRow } from '../../policy/store/holder.ts';
import { type FindToken, tokenFinder } from '../find.ts';
import type { TokenParts } from '../parts.ts';
import { findByAccessor, type TokenRow } from '../store.ts';

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

/** The names of the policies that the entity of a token and its groups bring at the moment. */
export async function identityPolicies({ identities }: RowParts, row: TokenRow): Promise<readonly string[]> {
  return (await identities.factsOf(holderOfRow(row))).policies;
}

export const tokenField = text().default('').meta({ description: 'The token', sensitive: true });
export const accessorField = text().default('').meta({ description: 'Accessor of the token' });
export const incrementField = duration()
  .default(0)
  .meta({ description: 'Seconds from now that are asked for; default: as many as at first' });
/** Older clients have the token in the path. */
export const tokenInPath = pathText('The token');

/** @throws AppError `bad-request` when no token was sent */
export function mustBeGiven(token: string): Secret {
  if (token === '') throw badRequest('missing token ID');
  return new Secret(token);
}

/** @throws AppError `bad-request` when no accessor was sent */
export async function byAccessor({ store }: TokenParts, accessor: string): Promise<TokenRow | undefined> {
  if (accessor === '') throw badRequest('missing accessor');
  return findByAccessor(store, accessor);
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
