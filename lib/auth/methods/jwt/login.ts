import { badRequest, upstreamFailed } from '../../../core/errors.ts';
import type { Log } from '../../../core/log.ts';
import type { RequestContext } from '../../../path/contract/request.ts';
import type { Store } from '../../../store/store.ts';
import { readConfig } from '../../login/kept/config.ts';
import { findRole, type ReadRoleAndConfig } from '../../login/kept/roles.ts';
import { RemoteFailure } from '../../login/remote/failure.ts';
import { boundsOf } from '../../login/role/bounds.ts';
import type { Identity } from '../contract.ts';
import { boundProblem } from './bound.ts';
import { type Claims, claimAt } from './claims.ts';
import { algorithms, type JwtConfig } from './config.ts';
import { aliasOf, groupsOf, mappedOf } from './identity.ts';
import { type JwtRole, keptRole } from './role.ts';
import { timeProblem } from './times.ts';
import type { Keys } from './verify/keys.ts';
import { claimsOf } from './verify/signature.ts';

export interface LoginParts {
  readonly store: Store;
  readonly read: ReadRoleAndConfig;
  readonly keys: Keys;
  readonly log: Log;
  readonly now: () => Date;
}

/**
 * Whom a token is of.
 *
 * @throws AppError `bad-request`, `permission-denied`; `upstream` when the keys cannot be read
 */
export async function whoIs(
  parts: LoginParts,
  { role: asked, jwt }: { readonly role: string; readonly jwt: string },
  context: RequestContext,
): Promise<Identity> {
  const { name, role, config } = await found(parts, context.mount.id, asked.toLowerCase());
  if (jwt === '') throw badRequest('missing token');
  const bounds = boundsOf(role.token, context);
  const claims = await proved(parts, { jwt, config, role }, context);
  const mapped = mappedOf(claims, role);
  const alias = aliasOf(claims, role);
  return {
    displayName: alias,
    alias,
    role: name,
    policies: role.token.token_policies,
    metadata: { ...mapped, role: name },
    aliasMetadata: { ...mapped, role: name },
    groups: groupsOf(claims, role),
    bounds,
  };
}

async function found({ store, read }: LoginParts, mountId: string, asked: string) {
  const both =
    asked === '' ? await byDefault(store, mountId) : { name: asked, ...(await read({ mountId, name: asked })) };
  if (both.config === undefined) throw badRequest('could not load configuration');
  if (both.name === '') throw badRequest('missing role');
  if (both.role === undefined) throw badRequest(`role ${JSON.stringify(both.name)} could not be found`);
  return { name: both.name, role: keptRole(both.role), config: both.config as JwtConfig };
}

async function byDefault(store: Store, mountId: string) {
  const config = await readConfig(store, mountId);
  const name = roleByDefault(config as JwtConfig | undefined);
  return { name, config, role: name === '' ? undefined : await findRole(store, mountId, name) };
}

const roleByDefault = (config: JwtConfig | undefined): string => config?.default_role.toLowerCase() ?? '';

/** The role of logins at a mount that name none; undefined: there is none. */
export async function defaultRole(store: Store, mountId: string): Promise<string | undefined> {
  return roleByDefault((await readConfig(store, mountId)) as JwtConfig | undefined) || undefined;
}

interface Attempt {
  readonly jwt: string;
  readonly config: JwtConfig;
  readonly role: JwtRole;
}

/** The claims of a token that is good by its signature, its times and the bounds of the role. */
async function proved(parts: LoginParts, { jwt, config, role }: Attempt, { mount }: RequestContext): Promise<Claims> {
  try {
    const { keys, issuer } = await parts.keys.of(config);
    const accepted = config.jwt_supported_algs.length > 0 ? config.jwt_supported_algs : algorithms;
    const claims = await claimsOf(jwt, keys, accepted);
    if (typeof claims === 'string') throw badRequest(`error validating token: ${claims}`);
    const wanted = config.bound_issuer || issuer;
    if (wanted !== undefined && claimAt(claims, 'iss') !== wanted)
      throw badRequest('error validating token: invalid issuer (iss) claim');
    const late = timeProblem(claims, role, parts.now());
    if (late !== undefined) throw badRequest(`error validating token: ${late}`);
    const unbound = boundProblem(claims, role);
    if (unbound !== undefined) throw badRequest(`error validating claims: ${unbound}`);
    return claims;
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    parts.log.warn({ mount: mount.path, reason: error.reason }, 'the keys of a provider could not be read');
    throw upstreamFailed(`the keys of the provider could not be read: ${error.reason}`);
  }
}
