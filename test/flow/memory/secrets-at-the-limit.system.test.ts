import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../../support/flow/calls/ask.ts';
import { eventually, serviceOf } from '../../support/flow/open-service.ts';

const kib = 1024;
const bytesMax = 1_024 * kib;
/** By default the memory for all large bodies has room for one. */
const service = serviceOf([], { KEYFERRY_BODY_BYTES_MAX: String(bytesMax) });

beforeAll(() => service.ask('POST', 'sys/mounts/plain', { type: 'kv', options: { version: '1' } }));

/** Repeats a request while it gets 503: the previous answer holds the memory until it has been sent. */
async function asked(method: string, path: string, raw?: string): Promise<Answer> {
  let answer: Answer | undefined;
  await eventually(
    async () => {
      answer = await service.ask(method, path, undefined, raw === undefined ? {} : { raw });
      return answer.status !== 503;
    },
    () => answer?.errors.join() ?? '',
  );
  if (answer === undefined) throw new Error('no request was sent');
  return answer;
}

/** A JSON text of this many bytes, with filler between `before` and `after`. */
const ofBytes = (bytes: number, before: string, after: string): string =>
  before + 'x'.repeat(bytes - before.length - after.length) + after;
const secretOfBytes = (bytes: number): string => ofBytes(bytes, '{"a":"', '"}');
const dataOfBytes = (bytes: number, key = 'a'): string => ofBytes(bytes, `{"data":{"${key}":"`, '"}}');

describe('a secret of exactly the size limit', () => {
  test('is read from version 1 unchanged', async () => {
    const raw = secretOfBytes(bytesMax);
    expect((await asked('POST', 'plain/whole', raw)).status).toBe(204);
    const read = await asked('GET', 'plain/whole');
    expect([read.status, JSON.stringify(read.data)]).toEqual([200, raw]);
  });

  test('is read from version 2 unchanged, with its keys and its metadata', async () => {
    const raw = dataOfBytes(bytesMax);
    expect((await asked('POST', 'secret/data/whole', raw)).status).toBe(200);
    const read = await asked('GET', 'secret/data/whole');
    expect([read.status, JSON.stringify({ data: read.data['data'] })]).toEqual([200, raw]);
    expect((await asked('GET', 'secret/subkeys/whole')).data).toMatchObject({ subkeys: { a: null } });
    expect((await asked('GET', 'secret/metadata/whole')).data).toMatchObject({ current_version: 1 });
  });

  test('is refused with one more byte', async () => {
    for (const [path, raw] of [
      ['plain/more', secretOfBytes(bytesMax + 1)],
      ['secret/data/more', dataOfBytes(bytesMax + 1)],
    ] as const) {
      const refused = await asked('POST', path, raw);
      expect(refused.status).toBe(413);
      expect(refused.errors).toEqual([`request body too large: this path takes at most ${bytesMax} bytes`]);
    }
  });
});

describe('a patch', () => {
  test('of a secret at the size limit by a body that is almost as large succeeds', async () => {
    await asked('POST', 'secret/data/twice', dataOfBytes(bytesMax));
    const raw = dataOfBytes(bytesMax - 1);
    expect((await asked('PATCH', 'secret/data/twice', raw)).status).toBe(200);
    const read = await asked('GET', 'secret/data/twice');
    expect(JSON.stringify({ data: read.data['data'] })).toBe(raw);
  });

  test.each([
    ['large secrets', 600 * kib, 600 * kib],
    ['a small change of a secret that fills the limit', bytesMax - 10, 30],
  ])(
    'that would make a secret larger than the limit is refused, and changes nothing: %s',
    async (what, stored, more) => {
      const path = `secret/data/${service.name(what.slice(0, 7).trim())}`;
      const before = dataOfBytes(stored);
      await asked('POST', path, before);
      const refused = await asked('PATCH', path, dataOfBytes(more, 'b'));
      expect([refused.status, refused.errors]).toEqual([
        413,
        [`the patched secret is too large: a secret may have at most ${bytesMax} bytes; nothing was changed`],
      ]);
      const { data } = await asked('GET', path);
      expect(data).toMatchObject({ metadata: { version: 1 } });
      expect(JSON.stringify({ data: data['data'] })).toBe(before);
    },
  );

  test('may fill the limit to the last byte', async () => {
    const whole = ofBytes(bytesMax, '{"a":"', '","b":"yy"}');
    const path = `secret/data/${service.name('filled')}`;
    await asked('POST', path, JSON.stringify({ data: { ...JSON.parse(whole), b: undefined } }));
    const more = await asked('PATCH', path, '{"data":{"b":"yyy"}}');
    expect(more.status).toBe(413);
    expect((await asked('PATCH', path, '{"data":{"b":"yy"}}')).status).toBe(200);
    const read = await asked('GET', path);
    expect(JSON.stringify(read.data['data'])).toBe(whole);
  });

  test('of two large secrets at the same time succeeds for at least one', async () => {
    const paths = ['one', 'other'];
    for (const path of paths) await asked('POST', `secret/data/${path}`, dataOfBytes(700 * kib));
    const raw = dataOfBytes(400 * kib);
    const patch = (path: string) => service.ask('PATCH', `secret/data/${path}`, undefined, { raw });
    const { db } = service.store;
    const patches = await db.transaction().execute(async (tx) => {
      await sql`select from kv_secrets where path = any(${paths}::text[]) for update`.execute(tx);
      const both = paths.map(patch);
      // Both bodies are in memory now, and each request needs the stored secret as well.
      await eventually(async () => (await waiting(db)) === paths.length);
      return both;
    });
    const statuses = (await Promise.all(patches)).map(({ status }) => status);
    expect(statuses).toContain(200);
    for (const [index, path] of paths.entries())
      if (statuses[index] !== 200) expect((await asked('PATCH', `secret/data/${path}`, raw)).status).toBe(200);
  });
});

async function waiting(db: typeof service.store.db): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
  return rows[0]?.n ?? 0;
}
