import type { Identity } from '#auth/login/contract.ts';
import { boundsOf } from '#auth/login/role/bounds.ts';
import { badField, badRequest } from '#core/errors.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { expectsCode } from '../browser-settings.ts';
import { type Found, found } from '../found.ts';
import { identityOf, type Person } from '../identity.ts';
import type { BrowserParts } from './parts.ts';
import { isSame, type PendingLogin } from './pending/login.ts';
import { changeLogin, dropLogin, type LoginKey, takeLogin } from './pending/store.ts';
import { asking, type CallContext, refusalOf } from './provider/calls.ts';
import { provedPerson } from './provider/person.ts';
import { exchange, type ProviderTokens } from './provider/tokens.ts';

/** What a provider sent back, and the nonce of the client that fetches its token. */
export interface CallbackInput {
  readonly state: string;
  readonly code: string;
  readonly client_nonce: string;
  /** Error code of the provider. */
  readonly error: string;
  /** The issuer that the provider names (RFC 9207). */
  readonly iss: string;
  /** What it posts right now, with the response mode form_post. */
  readonly posted?: PendingLogin['posted'];
}

/** A code that stands for the one that was posted before. */
const postedCode = 'no_code';

export const expired = () => badField('state', 'login failed: expired or missing OAuth state.');

/** The state as it was stored. */
const stateOf = (given: string): string => given.split(',ns=', 1)[0] ?? '';

export const keyOf = ({ mount }: RequestContext, state: string): LoginKey => ({
  mountId: mount.id,
  state: stateOf(state),
});

/**
 * Completes a login with the answer of the provider. Undefined when the client polls for its token.
 *
 * @throws AppError `bad-request`, `permission-denied`; `upstream` when the provider cannot be asked
 */
export async function complete(
  parts: BrowserParts,
  input: CallbackInput,
  context: RequestContext,
): Promise<Identity | undefined> {
  const key = keyOf(context, input.state);
  const login = await takeLogin(parts.store, key);
  if (login === undefined) throw expired();
  try {
    return await completeTaken(parts, { key, login, input }, context);
  } catch (error) {
    // A client that polls must not wait for a login that has failed.
    await dropLogin(parts.store, key);
    throw error;
  }
}

interface Taken {
  readonly key: LoginKey;
  readonly login: PendingLogin;
  readonly input: CallbackInput;
}

async function completeTaken(parts: BrowserParts, { key, login, input }: Taken, context: RequestContext) {
  const at = await roleOf(parts, login, context);
  if (!login.polled && login.clientNonce !== '' && !isSame(input.client_nonce, login.clientNonce))
    throw badField('client_nonce', 'invalid client_nonce');
  if (input.error !== '') throw badRequest(`login failed: the provider refused it: ${refusalOf(input.error)}`);
  const bounds = boundsOf(at.role.token, context);
  const calls = await callContext(parts, at, login, context);
  if (input.iss !== '' && input.iss !== login.issuer)
    throw badField('iss', 'login failed: the answer is from another provider');
  const tokens = await tokensOf(parts, login, input, calls);
  const person = await provedPerson(parts, { tokens, role: at.role, nonce: login.nonce }, calls);
  if (!login.polled) return identityOf(person, { ...at, bounds });
  const isKept = await changeLogin(parts.store, key, {
    from: 'taken',
    to: 'proved',
    login: { ...login, person: mutable(person) },
  });
  if (!isKept) throw expired();
  return undefined;
}

const mutable = ({ alias, metadata, groups }: Person) => ({ alias, metadata, groups: [...groups] });

/** The role of a login and the configuration of its mount as they are now. @throws AppError `bad-request` */
export async function roleOf(parts: BrowserParts, login: PendingLogin, { mount }: RequestContext): Promise<Found> {
  const at = await found(parts, mount.id, login.role);
  if (at.role.role_type !== 'oidc') throw badRequest('login failed: the role is no longer for logins by browser');
  return at;
}

/** The provider of a login. @throws AppError `bad-request` when the mount has another one now, `upstream` */
export async function callContext(
  parts: BrowserParts,
  { config }: Found,
  login: PendingLogin,
  { mount, signal }: RequestContext,
): Promise<CallContext> {
  const provider = await asking(parts, mount.path, () => parts.keys.provider(config));
  if (provider.issuer !== login.issuer || config.oidc_client_id !== login.clientId)
    throw badRequest('login failed: the configuration of the mount has changed meanwhile');
  return { config, provider, mountPath: mount.path, signal };
}

/** @throws AppError `bad-request` when the provider refuses the code, `upstream` when it cannot be asked */
async function tokensOf(
  parts: BrowserParts,
  login: PendingLogin,
  input: CallbackInput,
  context: CallContext,
): Promise<ProviderTokens> {
  const posted = input.posted ?? login.posted ?? { code: '', idToken: '' };
  if (!expectsCode(context.config)) {
    if (posted.idToken === '') throw badRequest('login failed: no id_token received.');
    return { idToken: posted.idToken, accessToken: '' };
  }
  const code = input.code === postedCode || input.code === '' ? posted.code : input.code;
  if (code === '') throw badField('code', 'login failed: no code received.');
  const grant = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: login.redirectUri,
    code_verifier: login.verifier,
  };
  const reply = await asking(parts, context.mountPath, () => exchange(parts, grant, context));
  if ('refusal' in reply) throw badField('code', `login failed: the provider refused the code: ${reply.refusal}`);
  return reply;
}
