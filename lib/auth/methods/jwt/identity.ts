import { badRequest } from '../../../core/errors.ts';
import { type Claims, claimAt, textOf, textsOf } from './claims.ts';
import type { JwtRole } from './role.ts';

const aliasCharactersMax = 1_024;

/** What the user is known by. @throws AppError `bad-request` when the token does not say it */
export function aliasOf(claims: Claims, { user_claim: name, user_claim_json_pointer: isPointer }: JwtRole): string {
  const value = isPointer ? claimAt(claims, name) : Object.hasOwn(claims, name) ? claims[name] : undefined;
  const shown = JSON.stringify(name);
  if (value === undefined) throw badRequest(`claim ${shown} not found in token`);
  if (typeof value !== 'string' || value === '') throw badRequest(`claim ${shown} could not be converted to string`);
  if (value.length > aliasCharactersMax)
    throw badRequest(`claim ${shown} has more than ${aliasCharactersMax} characters`);
  return value;
}

/** Names of the user's groups. @throws AppError `bad-request` when the token does not say them */
export function groupsOf(claims: Claims, { groups_claim: name }: JwtRole): readonly string[] {
  if (name === '') return [];
  const value = claimAt(claims, name);
  const shown = JSON.stringify(name);
  if (value === undefined) throw badRequest(`${shown} claim not found in token`);
  const groups = textsOf(value);
  if (groups === undefined) throw badRequest(`${shown} claim could not be converted to string list`);
  return groups;
}

/** What goes into the metadata. Claims that the token does not have are left out. @throws AppError `bad-request` */
export function mappedOf(claims: Claims, { claim_mappings: mappings }: JwtRole): Readonly<Record<string, string>> {
  const found = Object.entries(mappings).flatMap(([claim, name]) => {
    const value = claimAt(claims, claim);
    if (value === undefined || value === null) return [];
    const text = textOf(value);
    if (text === undefined) throw badRequest(`error converting claim ${JSON.stringify(claim)} to string`);
    return [[name, text] as const];
  });
  return Object.fromEntries(found);
}
