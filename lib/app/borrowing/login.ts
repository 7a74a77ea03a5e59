import { z } from 'zod';
import { Secret } from '#core/secret.ts';
import type { UnsealLogin } from '#core/settings/unseal.ts';
import { type LendingApi, readText, unavailable } from './api.ts';

/** A token for the loan. A token that our login created is revoked afterwards; a token from a file is not. */
export interface LoanToken {
  readonly token: Secret;
  readonly isOurs: boolean;
}

type LoginBy = Exclude<UnsealLogin, { kind: 'token' }>;

/** @throws AppError `unavailable` */
export async function logIn(api: LendingApi, login: UnsealLogin): Promise<LoanToken> {
  if (login.kind === 'token')
    return { token: tokenFrom(await readText(login.tokenFile, 'the token'), login.tokenFile), isOurs: false };
  const reply = reply200.safeParse(
    await api.post('the login failed', `auth/${login.mount}/login`, await credentialsOf(login)),
  );
  if (!reply.success)
    throw unavailable(
      'the login failed: the answer contains no token; a login with a second factor is not possible here',
    );
  return { token: tokenFrom(reply.data.auth.client_token, 'the answer to the login'), isOurs: true };
}

const reply200 = z.object({ auth: z.object({ client_token: z.string().min(1) }) });

async function credentialsOf(login: LoginBy): Promise<object> {
  if (login.kind === 'orchestrator')
    return { role: login.role, jwt: await readText(login.tokenFile, 'the token of the service account') };
  return { role_id: login.roleId, secret_id: await readText(login.secretIdFile, 'the secret id') };
}

/** @throws AppError `unavailable` when the text cannot be a header value */
function tokenFrom(text: string, where: string): Secret {
  if (/^[\x21-\x7e]{1,8192}$/.test(text)) return new Secret(text);
  throw unavailable(`${where} contains no valid token`);
}
