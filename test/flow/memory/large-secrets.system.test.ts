import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { groundOf } from '../../support/flow/ground.ts';
import type { Started } from '../../support/flow/processes.ts';
import { patience } from '../../support/measures/patience.ts';
import { ending } from '../../support/services.ts';
import { type CountedAnswer, type LargeRequest, peakBytes, requestUntilAdmitted } from './large-requests.ts';

const mib = 1_024 * 1_024;
const secretBytes = 31 * mib;
const residentBytesMax = 512 * mib;
/** Half of the secrets go to KV version 1, half to version 2. */
const indexes = Array.from({ length: 8 }, (_, index) => index);
const half = indexes.length / 2;
const patched = indexes.slice(-2);
const unknownCallersCount = 20;

const ground = groundOf();
/** The node options of the npm scripts and the Dockerfile. */
const asDeployed = {
  NODE_OPTIONS: '--max-semi-space-size=16',
  MALLOC_ARENA_MAX: '2',
  MALLOC_TRIM_THRESHOLD_: '131072',
};

const noProc = existsSync('/proc/self/status')
  ? undefined
  : 'the peak of a process is read in /proc, which is not here';
if (noProc !== undefined) process.stderr.write(`large-secrets.test.ts is skipped: ${noProc}\n`);

test.skipIf(noProc !== undefined)(
  `${indexes.length} secrets of 31 MiB at once are written, read and patched in less than 512 MiB`,
  async () => {
    const api = ending(await ground.start('serve', asDeployed));
    await ground.client(api).write('sys/mounts/plain', { type: 'kv', options: { version: '1' } });
    const write = writesOf([oneText(), manyTexts()]);

    const unknownCallers = Promise.all(
      Array.from({ length: unknownCallersCount }, (_, index) =>
        requestUntilAdmitted(api.ready, { ...write(index), stubborn: true }),
      ),
    );
    const written = await withSmallRequests(api, indexes.map(write));
    expect(statusesOf(written)).toEqual(indexes.map((index) => (index < half ? 204 : 200)));
    expect(new Set(statusesOf(await unknownCallers))).toEqual(new Set([403]));

    const read = await withSmallRequests(
      api,
      indexes.map((index) => ({ path: pathOf(index) })),
    );
    expect(statusesOf(read)).toEqual(indexes.map(() => 200));
    for (const { bytes } of read) expect(bytes).toBeGreaterThan(secretBytes);

    const patches = await withSmallRequests(
      api,
      patched.map((index) => ({ ...write(index), method: 'PATCH' })),
    );
    expect(statusesOf(patches)).toEqual(patched.map(() => 200));
    expect(peakBytes(api.pid)).toBeLessThan(residentBytesMax);
  },
  2 * patience.testMs,
);

const oneText = (): string => JSON.stringify({ text: 'x'.repeat(secretBytes) });
/** Each text has a character that makes a JavaScript string take two bytes per character. */
const manyTexts = (): string => JSON.stringify({ texts: Array.from({ length: 527 }, () => `中${'x'.repeat(61_680)}`) });

const pathOf = (index: number): string => (index < half ? `plain/${index}` : `secret/data/${index}`);

function writesOf(secrets: readonly string[]): (index: number) => LargeRequest {
  const bodies = secrets.map((secret) => ({ plain: Buffer.from(secret), data: Buffer.from(`{"data":${secret}}`) }));
  return (index) => {
    const body = bodies[index % bodies.length]?.[index < half ? 'plain' : 'data'];
    return { path: pathOf(index), method: 'POST', ...(body === undefined ? {} : { body }) };
  };
}

const statusesOf = (answers: readonly CountedAnswer[]): readonly number[] => answers.map(({ status }) => status);

/** Sends large requests concurrently, and checks that small ones are still answered. */
async function withSmallRequests(api: Started, requests: readonly LargeRequest[]): Promise<readonly CountedAnswer[]> {
  let over = false;
  const large = Promise.all(
    requests.map((one) => requestUntilAdmitted(api.ready, { token: ground.rootToken, ...one })),
  ).finally(() => {
    over = true;
  });
  const small = async () => {
    let answered = 0;
    for (; !over; answered += 1) {
      const data = { answered };
      expect((await ground.ask(api, 'POST', 'secret/data/small', { data })).status).toBe(200);
      expect((await ground.ask(api, 'GET', 'secret/data/small')).data).toMatchObject({ data });
      await delay(20);
    }
    expect(answered).toBeGreaterThan(requests.length);
  };
  const [answers] = await Promise.all([large, small()]);
  return answers;
}
