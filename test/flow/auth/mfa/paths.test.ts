import { sql } from 'kysely';
import type { TOTP } from 'otpauth';
import { describe, expect, test } from 'vitest';
import { logDump } from '#test/support/flow/backup/dumps.ts';
import { type Answer, ask } from '#test/support/flow/calls/ask.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { otherProcessOf } from '#test/support/flow/other-process.ts';
import { enrolled, methodOf, notPassed, peopleOf, periodLater, wrongCode } from './setup.ts';

const service = serviceOf([]);
const other = otherProcessOf(service);
const people = peopleOf(service);

interface Guarded {
  readonly method: { readonly name: string; readonly id: string };
  readonly totp: TOTP;
  readonly entityId: string;
  /** Reads the guarded path with these values of the header. */
  read(mfa?: string, more?: { readonly header?: string; readonly address?: string }): Promise<Answer>;
}

/** A user with a secret, and a path that the user may read with a code. */
async function guarded(settings: object = {}, extraMethods: readonly string[] = []): Promise<Guarded> {
  const method = await methodOf(service, settings);
  const policy = service.name('policy');
  const names = [method.name, ...extraMethods].map((name) => JSON.stringify(name)).join();
  await service.api.write(`sys/policies/acl/${policy}`, {
    policy: `path "secret/data/guarded" { capabilities = ["read"] mfa_methods = [${names}] }`,
  });
  await service.secret({ a: '1' }, 'guarded');
  const { entityId, token } = await people.person([policy]);
  const totp = await enrolled(service, method.id, entityId);
  const path = 'secret/data/guarded';
  return {
    method,
    totp,
    entityId,
    read: (mfa, { header = 'x-vault-mfa', address = service.address } = {}) =>
      ask({ address, token, method: 'GET', path, headers: { [header]: mfa } }),
  };
}

describe('a path with a method', () => {
  test.each(['x-service-mfa', 'x-vault-mfa'])('is read with a code in %s, and not without', async (header) => {
    const { method, totp, read } = await guarded();
    expect(await read()).toMatchObject(notPassed);
    expect(await read(`${method.name}:${wrongCode(totp)}`, { header })).toMatchObject(notPassed);
    expect(await read(`other:${totp.generate()}`, { header })).toMatchObject(notPassed);
    const { status, data } = await read(`${method.name}:${totp.generate()}`, { header });
    expect([status, data['data']]).toEqual([200, { a: '1' }]);
  });

  test.each([
    ['its id', ({ id }: Guarded['method'], code: string) => `${id}:${code}`],
    ['passcode=', ({ name }: Guarded['method'], code: string) => `${name}:passcode=${code}`],
    ['blanks', ({ name }: Guarded['method'], code: string) => `${name}: ${code}`],
  ])('accepts the code with %s', async (_name, write) => {
    const { method, totp, read } = await guarded();
    expect((await read(write(method, totp.generate()))).status).toBe(200);
  });

  test.each(['SHA1', 'SHA256', 'SHA512'])('accepts %s codes of 8 digits', async (algorithm) => {
    const { method, totp, read } = await guarded({ algorithm, digits: 8, key_size: 64, period: 60 });
    expect(totp.generate()).toHaveLength(8);
    expect((await read(`${method.name}:${totp.generate()}`)).status).toBe(200);
  });

  test.each([
    '',
    ':123456',
    'a:',
    'a:1,a:2',
    'a:1,,b:2',
    Array.from({ length: 17 }, (_, n) => `m${n}:1`).join(),
    `a:${'1'.repeat(5_000)}`,
  ])('answers 400 to the header %j, on any path and in no log', async (header) => {
    for (const path of ['secret/data/guarded', 'sys/seal-status', 'auth/userpass/login/x']) {
      const answer = await service.ask('GET', path, undefined, { headers: { 'x-vault-mfa': header } });
      expect(answer.status).toBe(400);
      expect(answer.errors[0]).toMatch(/^failed to parse X-Vault-MFA header: /);
    }
  });

  test('refuses a token without an entity, and a rule with an unknown method', async () => {
    const { method, totp, entityId, read } = await guarded();
    await service.ask('POST', `sys/mfa/method/totp/${method.name}/admin-destroy`, { entity_id: entityId });
    expect(await read(`${method.name}:${totp.generate()}`)).toMatchObject(notPassed);
    await service.ask('DELETE', `sys/mfa/method/totp/${method.name}`);
    expect(await read(`${method.name}:${totp.generate()}`)).toMatchObject(notPassed);
  });

  test('is open to root', async () => {
    await guarded();
    expect((await service.ask('GET', 'secret/data/guarded')).status).toBe(200);
  });
});

describe('several methods', () => {
  test('all have to be passed, and a correct code next to a wrong one is not used up', async () => {
    const second = await methodOf(service);
    const { method, totp, entityId, read } = await guarded({}, [second.name]);
    const secondTotp = await enrolled(service, second.id, entityId);
    const first = `${method.name}:${totp.generate()}`;
    expect(await read(first)).toMatchObject(notPassed);
    expect(await read(`${first},${second.name}:${wrongCode(secondTotp)}`)).toMatchObject(notPassed);
    expect((await read(`${first}, ${second.name}:${secondTotp.generate()}`)).status).toBe(200);
    expect(await read(`${first}, ${second.name}:${secondTotp.generate()}`)).toMatchObject(notPassed);
  });
});

describe('a code', () => {
  test('is valid once over all processes', async () => {
    const { method, totp, read } = await guarded();
    const sent = `${method.name}:${totp.generate()}`;
    expect((await read(sent)).status).toBe(200);
    expect(await read(sent)).toMatchObject(notPassed);
    expect(await read(sent, other)).toMatchObject(notPassed);
  });

  test('is accepted from one of a hundred concurrent requests to two processes', async () => {
    const { method, totp, read } = await guarded();
    const sent = `${method.name}:${totp.generate()}`;
    const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => read(sent, n % 2 === 0 ? {} : other)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(99);
  });

  test('of the previous and next period is valid with a skew of 1 only', async () => {
    // The present time is the middle of the period, so that it does not end meanwhile.
    const now = Date.now() / 1_000;
    const middle = (seconds: number) => Math.abs((now % seconds) / seconds - 0.5) < 0.2;
    const period = Array.from({ length: 5_000 }, (_, n) => 20_000 + n).find(middle) ?? 0;
    for (const skew of [0, 1]) {
      const { method, totp, read } = await guarded({ skew, period });
      const codeAt = (n: number) => `${method.name}:${totp.generate({ timestamp: Date.now() + n * period * 1_000 })}`;
      const statuses = [];
      for (const periods of [-2, -1, 0, 1, 2]) statuses.push((await read(codeAt(periods))).status);
      expect(statuses).toEqual(skew === 1 ? [403, 200, 200, 200, 403] : [403, 403, 200, 403, 403]);
    }
  });

  test('of one entity is not used up by that of another', async () => {
    const one = await guarded();
    const { totp, read } = await guarded();
    expect((await one.read(`${one.method.name}:${one.totp.generate()}`)).status).toBe(200);
    expect(totp.generate()).toHaveLength(6);
    expect(await read(`${one.method.name}:${one.totp.generate()}`)).toMatchObject(notPassed);
  });

  test('is in no log', async () => {
    const { method, totp, read } = await guarded();
    const code = totp.generate();
    await read(`${method.name}:${code}`);
    expect(logDump(service)).not.toContain(code);
  });
});

describe('attempts', () => {
  const tooMany = (n: number) =>
    `maximum TOTP validation attempts ${n} exceeded the allowed attempts 5. Please try again in 3600s seconds`;

  test('are limited by the method in one period', async () => {
    const { method, totp, read } = await guarded({ max_validation_attempts: 5 });
    const wrong = `${method.name}:${wrongCode(totp)}`;
    for (let n = 1; n <= 5; n += 1) expect(await read(wrong)).toMatchObject(notPassed);
    expect(await read(wrong)).toMatchObject({ status: 403, errors: [tooMany(6)] });
    expect(await read(`${method.name}:${totp.generate()}`)).toMatchObject({ status: 403, errors: [tooMany(7)] });
    await sql`update mfa_attempts set expire_at = now()`.execute(service.store.db);
    expect((await read(`${method.name}:${totp.generate()}`)).status).toBe(200);
  });

  test('are counted exactly over two processes: of a hundred concurrent ones five are checked', async () => {
    const { method, totp, read } = await guarded({ max_validation_attempts: 5 });
    const wrong = `${method.name}:${wrongCode(totp)}`;
    const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => read(wrong, n % 2 === 0 ? {} : other)));
    expect(answers.filter(({ errors }) => errors[0] === notPassed.errors[0])).toHaveLength(5);
    expect(answers.filter(({ errors }) => errors[0]?.startsWith('maximum TOTP'))).toHaveLength(95);
  });

  test('are reset by a correct code', async () => {
    const { method, totp, read } = await guarded({ max_validation_attempts: 5 });
    const wrong = `${method.name}:${wrongCode(totp)}`;
    for (let n = 1; n <= 4; n += 1) await read(wrong);
    expect((await read(`${method.name}:${totp.generate()}`)).status).toBe(200);
    for (let n = 1; n <= 5; n += 1) expect(await read(wrong)).toMatchObject(notPassed);
  });

  test('without a code for every method are not counted', async () => {
    const { method, totp, read } = await guarded({ max_validation_attempts: 1 }, ['absent']);
    for (let n = 1; n <= 3; n += 1) expect(await read(`${method.name}:${totp.generate()}`)).toMatchObject(notPassed);
  });

  test('and used codes are swept after they expire', async () => {
    const { db } = service.store;
    await periodLater(service);
    const { method, totp, read } = await guarded();
    await read(`${method.name}:${wrongCode(totp)}`);
    const rows = async () =>
      (await sql<{ n: number }>`select count(*)::int as n from mfa_attempts`.execute(db)).rows[0]?.n;
    await service.sweep();
    expect(await rows()).toBe(1);
    await sql`update mfa_attempts set expire_at = now()`.execute(db);
    await service.sweep();
    expect(await rows()).toBe(0);
  });
});
