import { z } from 'zod';
import { Secret } from '../../core/secret.ts';
import type { UnsealLogin } from '../../core/unseal.ts';
import { away, type LendingApi, readText } from './api.ts';

/** A token for the loan. One that was made for it is revoked afterwards; one from a file is not ours to end. */
export interface LoanToken {
  readonly token: Secret;
  readonly made: boolean;
}

type LoginBy = Exclude<UnsealLogin, { kind: 'token' }>;

/** @throws AppError `unavailable` */
export async function logIn(api: LendingApi, login: UnsealLogin): Promise<LoanToken> {
  if (login.kind === 'token')
    return { token: tokenFrom(await readText(login.tokenFile, 'the token'), login.tokenFile), made: false };
  const reply = reply200.safeParse(
    await api.post('the login failed', `auth/${login.mount}/login`, await credentialsOf(login)),
  );
  if (!reply.success) throw away('the login failed: the answer holds no token; a second factor cannot be given here');
  return { token: tokenFrom(reply.data.auth.client_token, 'the answer to the login'), made: true };
}

const reply200 = z.object({ auth: z.object({ client_token: z.string().min(1) }) });

async function credentialsOf(login: LoginBy): Promise<object> {
  if (login.kind === 'orchestrator')
    return { role: login.role, jwt: await readText(login.tokenFile, 'the token of the service account') };
  return { role_id: login.roleId, secret_id: await readText(login.secretIdFile, 'the secret id') };
}

/** It becomes a header. */
function tokenFrom(text: string, where: string): Secret {
  if (/^[\x21-\x7e]{1,8192}$/.test(text)) return new Secret(text);
  throw away(`${where} holds no token`);
}
