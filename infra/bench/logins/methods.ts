import bcrypt from 'bcrypt';
import { exportSPKI, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { z } from 'zod';
import { times } from '../measure/rounds.ts';
import type { Bench } from '../section.ts';

/** Logins of one method, ready to be asked for. */
export interface Logins {
  readonly what: string;
  /** What the bare server does for one login. */
  readonly baseline: string;
  /** Below `auth/`; a number from 0 to `count - 1` follows. */
  readonly path: string;
  readonly count: number;
  readonly body: string;
  /** The path of the bare server. */
  readonly bare: string;
  end?(): Promise<void>;
}

const oneInsert = { baseline: 'one INSERT', bare: '/write/bench/' } as const;
/** The number after the path does not matter. */
const sameForAll = { path: (mount: string) => `${mount}/login?scan=`, count: 1 } as const;

export async function approleLogins({ stage }: Bench): Promise<Logins> {
  await stage.write('sys/auth/approle', { type: 'approle' });
  await stage.write('auth/approle/role/bench', { token_policies: ['default'] });
  const ids = { role_id: 'bench-role', secret_id: 'bench-secret' };
  await stage.write('auth/approle/role/bench/role-id', { role_id: ids.role_id });
  await stage.write('auth/approle/role/bench/custom-secret-id', { secret_id: ids.secret_id });
  return {
    what: 'approle',
    ...oneInsert,
    path: sameForAll.path('approle'),
    count: 1,
    body: JSON.stringify(ids),
  };
}

export async function jwtLogins({ stage }: Bench): Promise<Logins> {
  const { pem, sign } = await signer();
  await stage.write('sys/auth/jwt', { type: 'jwt' });
  await stage.write('auth/jwt/config', { jwt_validation_pubkeys: [pem] });
  await stage.write('auth/jwt/role/bench', { role_type: 'jwt', user_claim: 'sub', bound_audiences: ['bench'] });
  const jwt = await sign({ sub: 'app', aud: ['bench'] });
  return {
    what: 'jwt, ES256 and a static key',
    ...oneInsert,
    path: sameForAll.path('jwt'),
    count: 1,
    body: JSON.stringify({ role: 'bench', jwt }),
  };
}

const account = { username: 'system:serviceaccount:bench:app', uid: 'uid-app' };

export async function orchestratorLogins({ stage }: Bench): Promise<Logins> {
  const ready = z.object({ address: z.string(), certificate: z.string() });
  const reviewer = await stage.start('reviewer', ready, account);
  const { address, certificate } = reviewer.ready;
  await stage.write('sys/auth/orchestrator', { type: 'orchestrator' });
  const config = { orchestrator_host: address, orchestrator_ca_cert: certificate, token_reviewer_jwt: 'reviewer' };
  await stage.write('auth/orchestrator/config', config);
  const names = { bound_service_account_names: 'app', bound_service_account_namespaces: 'bench' };
  await stage.write('auth/orchestrator/role/bench', { ...names, token_policies: ['default'] });
  const { sign } = await signer();
  const serviceaccount = { name: 'app', uid: account.uid };
  const jwt = await sign({ 'kubernetes.io': { namespace: 'bench', serviceaccount } });
  return {
    what: 'orchestrator, a reviewer beside it',
    ...oneInsert,
    path: sameForAll.path('orchestrator'),
    count: 1,
    body: JSON.stringify({ role: 'bench', jwt }),
    end: reviewer.end,
  };
}

const userCount = 100;
/** The lowest cost that is accepted for a hash from a client. */
const hashCost = 4;

/** Both servers compute the hash, so the comparison shows everything else. */
export async function userpassLogins({ stage }: Bench): Promise<Logins> {
  const password = 'correct horse battery staple';
  const hash = await bcrypt.hash(password, hashCost);
  await stage.write('sys/auth/userpass', { type: 'userpass' });
  await times(userCount, 16, (index) =>
    stage.write(`auth/userpass/users/bench-${index}`, { password_hash: hash, token_policies: ['default'] }),
  );
  return {
    what: `userpass, bcrypt of cost ${hashCost}`,
    baseline: 'the same hash, and one INSERT',
    path: 'userpass/login/bench-',
    count: userCount,
    bare: `/hashed/${encodeURIComponent(hash)}/`,
    body: JSON.stringify({ password }),
  };
}

async function signer() {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const sign = (claims: JWTPayload) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'ES256' }).setIssuedAt().setExpirationTime('1h').sign(privateKey);
  return { pem: await exportSPKI(publicKey), sign };
}
