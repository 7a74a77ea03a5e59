import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { silentLog } from '#core/log/log.ts';
import { startRedis } from '#infra/local/redis/start.ts';
import { run, script } from '#queue/redis/call.ts';
import { failFastConnection } from '#queue/redis/connection.ts';

const double = script('return tonumber(ARGV[1]) * 2');

/** A separate server, which counts calls and forgets scripts. */
async function opened() {
  const server = await startRedis();
  const [ours, admin] = [failFastConnection(server.url, silentLog), new Redis(server.url)];
  onTestFinished(async () => {
    ours.disconnect();
    admin.disconnect();
    await server.stop();
  });
  const callsOf = async (command: string) =>
    Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(await admin.info('commandstats'))?.[1] ?? 0);
  return { ours, admin, callsOf };
}

test('a script is sent once and then called by its hash, with one command per call', async () => {
  const { ours, callsOf } = await opened();
  for (const number of [1, 2, 3]) expect(await run(ours, double, [], [number])).toBe(number * 2);
  expect([await callsOf('eval'), await callsOf('evalsha'), await callsOf('script')]).toEqual([1, 2, 0]);
});

test('a server that no longer knows the script gets it again, even from many concurrent calls', async () => {
  const { ours, admin } = await opened();
  await run(ours, double, [], [1]);
  await admin.script('FLUSH');
  const numbers = Array.from({ length: 64 }, (_, index) => index);
  expect(await Promise.all(numbers.map((number) => run(ours, double, [], [number])))).toEqual(
    numbers.map((number) => number * 2),
  );
});

test('a connection that was opened before the script was known says so', async () => {
  const { ours } = await opened();
  await expect(run(ours, script('return 1'), [], [])).rejects.toThrow('opened before the script was known');
});
