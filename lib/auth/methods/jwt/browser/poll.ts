import type { Identity } from '#auth/login/contract.ts';
import { boundsOf } from '#auth/login/role/bounds.ts';
import { badField, badRequest } from '#core/errors.ts';
import type { RequestContext } from '#path/contract/request.ts';
import type { Found } from '../found.ts';
import { identityOf } from '../identity.ts';
import { callContext, expired, keyOf, roleOf } from './callback.ts';
import { pollDevice } from './device.ts';
import type { BrowserParts } from './parts.ts';
import { isSame, type PendingLogin } from './pending/login.ts';
import { dropLogin, findLogin, type LoginKey } from './pending/store.ts';
import { provedPerson } from './provider/person.ts';

interface PollInput {
  readonly state: string;
  readonly client_nonce: string;
}

/**
 * The identity of a user who has logged in at the provider.
 *
 * @throws AppError `bad-request` with `authorization_pending` or `slow_down` while the user has not; `permission-denied`, `upstream`
 */
export async function poll(parts: BrowserParts, input: PollInput, context: RequestContext): Promise<Identity> {
  const key = keyOf(context, input.state);
  const kept = await findLogin(parts.store, key);
  if (kept === undefined) throw expired();
  const { login, stage } = kept;
  if (!isSame(input.client_nonce, login.clientNonce)) {
    await dropLogin(parts.store, key);
    throw badField('client_nonce', 'invalid client_nonce');
  }
  if (stage === 'open' || stage === 'taken') throw badRequest('authorization_pending');
  const at = await roleOf(parts, login, context);
  const bounds = boundsOf(at.role.token, context);
  const person = login.person ?? (await personOfDevice(parts, { key, login, at }, context));
  if (!(await dropLogin(parts.store, key))) throw expired();
  return identityOf(person, { ...at, bounds });
}

interface Polled {
  readonly key: LoginKey;
  readonly login: PendingLogin;
  readonly at: Found;
}

async function personOfDevice(parts: BrowserParts, { key, login, at }: Polled, context: RequestContext) {
  const calls = await callContext(parts, at, login, context);
  const tokens = await pollDevice(parts, { key, login }, calls);
  if (typeof tokens === 'string') throw badRequest(tokens);
  return provedPerson(parts, { tokens, role: at.role, nonce: undefined }, calls);
}
