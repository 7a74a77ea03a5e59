import type { RequestContext } from '#path/contract/request.ts';
import { type CallbackInput, complete, expired, keyOf } from './callback.ts';
import type { BrowserParts } from './parts.ts';
import { changeLogin, findLogin } from './pending/store.ts';

/** What a provider posts with the response mode form_post. */
export interface PostedInput extends Pick<CallbackInput, 'state' | 'code' | 'error' | 'iss'> {
  readonly id_token: string;
}

/**
 * Completes the login of a client that polls, which hears nothing from the provider itself. For any other client, what was posted is kept
 * until the client completes the login.
 *
 * @returns whether the login is complete
 * @throws AppError as `complete`; `bad-request` for a login that does not wait for it
 */
export async function receive(
  parts: BrowserParts,
  { id_token, ...answer }: PostedInput,
  context: RequestContext,
): Promise<boolean> {
  const key = keyOf(context, answer.state);
  const kept = await findLogin(parts.store, key);
  if (kept === undefined || kept.login.posted !== undefined) throw expired();
  const posted = { code: answer.code, idToken: id_token };
  if (kept.login.polled) {
    await complete(parts, { ...answer, posted, client_nonce: '' }, context);
    return true;
  }
  const login = { ...kept.login, posted };
  if (!(await changeLogin(parts.store, key, { from: 'open', to: 'open', login }))) throw expired();
  return false;
}
