import { badField } from '#core/errors.ts';
import type { Identity } from '../../login/contract.ts';
import type { TokenBounds } from '../../token/issue/request.ts';
import { type Claims, claimAt, textOf, textsOf } from './claims.ts';
import type { JwtRole } from './role.ts';

const aliasCharactersMax = 1_024;

/** What the claims say of a user. */
export interface Person {
  readonly alias: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly groups: readonly string[];
}

/**
 * @param fields the fields of the request that brought the claims; none when the provider sent them
 * @throws AppError `bad-request` when the claims lack something that the role needs
 */
export function personOf(claims: Claims, role: JwtRole, fields: readonly 'jwt'[]): Person {
  const refused = (text: string) => badField(fields, text);
  const metadata = mappedOf(claims, role, refused);
  return { alias: aliasOf(claims, role, refused), metadata, groups: groupsOf(claims, role, refused) };
}

type Refused = (text: string) => Error;

interface RoleOfLogin {
  readonly name: string;
  readonly role: JwtRole;
  readonly bounds: TokenBounds;
}

/** The identity of a user who logs in to a role. */
export function identityOf({ alias, metadata, groups }: Person, { name, role, bounds }: RoleOfLogin): Identity {
  return {
    displayName: alias,
    alias,
    role: name,
    policies: role.token.token_policies,
    metadata: { ...metadata, role: name },
    aliasMetadata: { ...metadata, role: name },
    groups,
    bounds,
  };
}

/** The alias of the user. @throws AppError `bad-request` when the token lacks the claim */
function aliasOf(
  claims: Claims,
  { user_claim: name, user_claim_json_pointer: isPointer }: JwtRole,
  refused: Refused,
): string {
  const value = isPointer ? claimAt(claims, name) : Object.hasOwn(claims, name) ? claims[name] : undefined;
  const shown = JSON.stringify(name);
  if (value === undefined) throw refused(`claim ${shown} not found in token`);
  if (typeof value !== 'string' || value === '') throw refused(`claim ${shown} could not be converted to string`);
  if (value.length > aliasCharactersMax)
    throw refused(`claim ${shown} may have at most ${aliasCharactersMax} characters`);
  return value;
}

/** Names of the groups of the user. @throws AppError `bad-request` when the token lacks the claim */
function groupsOf(claims: Claims, { groups_claim: name }: JwtRole, refused: Refused): readonly string[] {
  if (name === '') return [];
  const value = claimAt(claims, name);
  const shown = JSON.stringify(name);
  if (value === undefined) throw refused(`${shown} claim not found in token`);
  const groups = textsOf(value);
  if (groups === undefined) throw refused(`${shown} claim could not be converted to string list`);
  return groups;
}

/** The claims that become metadata. Missing claims are left out. @throws AppError `bad-request` */
function mappedOf(
  claims: Claims,
  { claim_mappings: mappings }: JwtRole,
  refused: Refused,
): Readonly<Record<string, string>> {
  const found = Object.entries(mappings).flatMap(([claim, name]) => {
    const value = claimAt(claims, claim);
    if (value === undefined || value === null) return [];
    const text = textOf(value);
    if (text === undefined) throw refused(`error converting claim ${JSON.stringify(claim)} to string`);
    return [[name, text] as const];
  });
  return Object.fromEntries(found);
}
