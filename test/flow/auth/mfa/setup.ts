import { sql } from 'kysely';
import { Secret, TOTP, URI } from 'otpauth';
import { beforeAll } from 'vitest';
import { type Answer, ask } from '#test/support/flow/calls/ask.ts';
import type { OpenService } from '#test/support/flow/open-service.ts';

export const notPassed = { status: 403, errors: ['MFA credentials not supplied or incorrect'] };

/** A user who logs in with a password. */
export interface Person {
  readonly name: string;
  readonly entityId: string;
  /** The token of a login without a code. */
  readonly token: string;
}

/** The userpass method and its users. Call it at the top of a test file. */
export function peopleOf(service: OpenService) {
  beforeAll(async () => {
    await service.ask('POST', 'sys/auth/userpass', { type: 'userpass' });
  });
  const login = (name: string, headers: Readonly<Record<string, string>> = {}, address = service.address) =>
    ask({
      address,
      token: '',
      method: 'POST',
      path: `auth/userpass/login/${name}`,
      body: { password: `password of ${name}` },
      headers: { 'x-service-token': undefined, ...headers },
    });
  return {
    login,
    /** A new user with an entity, after one login. */
    async person(policies: readonly string[] = []): Promise<Person> {
      const name = service.name('person');
      await service.api.write(`auth/userpass/users/${name}`, {
        password: `password of ${name}`,
        token_policies: policies,
      });
      const { entity_id, client_token } = authOf(await login(name));
      return { name, entityId: String(entity_id), token: String(client_token) };
    },
  };
}

export const authOf = (answer: Answer): Readonly<Record<string, unknown>> => Object(answer.body['auth']);

/** Creates a method by its id, with these settings. */
export async function methodOf(service: OpenService, settings: object = {}) {
  const name = service.name('method');
  // A period that no test outlasts.
  const body = { issuer: 'Keyferry', method_name: name, max_validation_attempts: 1_000, period: 3_600, ...settings };
  const { data, errors } = await service.ask('POST', 'identity/mfa/method/totp', body);
  if (errors.length > 0) throw new Error(errors.join());
  return { name, id: String(data['method_id']) };
}

/** Generates a secret of an entity and returns its authenticator. */
export async function enrolled(service: OpenService, methodId: string, entityId: string): Promise<TOTP> {
  const path = 'identity/mfa/method/totp/admin-generate';
  const { data } = await service.ask('POST', path, { method_id: methodId, entity_id: entityId });
  const totp = URI.parse(String(data['url']));
  if (!(totp instanceof TOTP)) throw new Error('the address is not one of TOTP');
  return totp;
}

/** A code that is wrong in every period. */
export function wrongCode({ secret, period, digits }: TOTP): string {
  const now = Date.now();
  const totp = new TOTP({ secret: Secret.fromHex(secret.hex), period, digits });
  const right = Array.from({ length: 40 }, (_, n) => totp.generate({ timestamp: now + (n - 20) * period * 1_000 }));
  const wrong = Array.from({ length: 50 }, (_, n) => String(n).padStart(digits, '0'));
  return wrong.find((code) => !right.includes(code)) ?? '';
}

/** Ends the window of attempts and forgets used codes, as a period later. */
export async function periodLater({ store: { db } }: OpenService): Promise<void> {
  await sql`delete from mfa_attempts`.execute(db);
  await sql`delete from mfa_used_codes`.execute(db);
}
