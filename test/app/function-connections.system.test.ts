import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { openApi } from '#app.ts';
import { readConfig } from '#core/config.ts';
import { silentLog } from '#core/log/log.ts';
import { startProcess } from '#infra/bench/processes/process.ts';
import { poolerOf } from '../support/postgres/pooler.ts';
import { ending, testDatabase, testRedis } from '../support/services.ts';

const start = await poolerOf('1.18');
const answered = z.object({ answers: z.array(z.object({ status: z.int() })) });
const count = 12;

/** Functions of one installation, all in one process. All of them receive the event at the same time. */
async function functionsOn(direct: string, databaseUrl: string) {
  const { url, prefix } = testRedis();
  const environment = {
    DATABASE_URL: direct,
    REDIS_URL: url,
    KEYFERRY_REDIS_PREFIX: prefix,
    KEYFERRY_SEAL_KEY: randomBytes(32).toString('hex'),
    // More than a function may open.
    KEYFERRY_DATABASE_POOL_SIZE: '10',
  };
  const api = await openApi({ config: readConfig(environment), log: silentLog });
  const token = (await api.prepareForDevelopment(undefined)) ?? '';
  await api.close();
  const parameters = { databaseUrl, count, path: '/v1/auth/token/lookup-self', token };
  const functions = await startProcess('functions', z.object({}), { environment, parameters });
  ending({ close: functions.end });
  return async () => (await functions.ask('event', answered)).answers.map(({ status }) => status);
}

const good = Array.from({ length: count }, () => 200);

test.skipIf(start === undefined)(
  'functions answer all at once through a pooler with fewer connections than there are functions',
  async () => {
    const direct = await testDatabase();
    const pooler = await start?.({ databaseUrl: direct, serverConnections: 4 });
    if (pooler === undefined) throw new Error('there is no pooler');
    const event = await functionsOn(direct, ending(pooler).url);
    expect(await event()).toEqual(good);
    expect(await event()).toEqual(good);
  },
);
