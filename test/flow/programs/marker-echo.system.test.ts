import { randomBytes } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { definitions } from '#destinations/index.ts';
import { type Between, standBetween } from '../../contract/support/between.ts';
import { echo, echoXml, fewStatuses, quotes } from '../../contract/support/echo.ts';
import { credentialsOf } from '../../contract/support/stand.ts';
import { factsOf } from '../../support/facts.ts';
import {
  foundIn,
  logDump,
  postgresDump,
  redisDump,
  replyDump,
  walDump,
  walPosition,
} from '../../support/flow/backup/dumps.ts';
import { everyType, serviceOf } from '../../support/flow/open-service.ts';

const service = serviceOf(everyType, { KEYFERRY_SYNC_ATTEMPTS_MAX: '1', KEYFERRY_SYNC_WAIT_MS: '0' });
const marker = `marker-${randomBytes(12).toString('hex')}/+ "ü"`;

const betweens = new Map<string, Between>();
afterAll(() => Promise.all([...betweens.values()].map((one) => one.close())));

test('values and credentials quoted by remotes are in no table, write-ahead log, Redis, answer or log', async () => {
  const from = await walPosition(service);
  const used: string[] = [marker, service.rootToken];
  await service.ask('POST', 'secret/data/app', { data: { value: marker, pin: 123456 } });
  for (const definition of definitions) {
    const fake = service.fake(definition.type);
    const between = await standBetween(fake);
    betweens.set(definition.type, between);
    used.push(...credentialsOf(definition, fake.destination));
    await service.ask('POST', `sys/sync/destinations/${definition.type}/place`, between.through(fake.destination));
  }
  for (const quoting of Object.values(quotes)) {
    for (const status of fewStatuses) await failEverywhere(status, quoting(marker.slice(0, 20)), used);
  }
  const sources = {
    postgres: await postgresDump(service),
    'write-ahead log': await walDump(service, from),
    redis: await redisDump(service),
    log: logDump(service),
    replies: replyDump(service),
  };
  for (const [source, text] of Object.entries(sources)) {
    expect(text.length, `${source} is empty, so nothing was searched`).toBeGreaterThan(100);
    expect(foundIn(text, [...new Set(used)]), source).toEqual([]);
  }
  // The messages of the remotes have come this far.
  expect(sources.replies).toContain('[redacted]');
  expect(sources['write-ahead log']).toContain('the remote says');
});

/** Makes the system of each type refuse the marker and quote it, which shows in the records of the associations. */
async function failEverywhere(status: number, quote: Parameters<typeof echo>[1], used: string[]): Promise<void> {
  for (const type of everyType) {
    betweens.get(type)?.meet((asked) => {
      const credential = String(asked.headers.authorization ?? '').replace(/^\S+ /, '');
      if (credential.length > 30 && !credential.includes('Credential=')) used.push(credential);
      return (asked.body.includes('AssumeRole') ? echoXml : echo)(status, quote, factsOf(type).refusals.code);
    });
    const body = { mount: 'secret', secret_name: 'app' };
    await service.ask('POST', `sys/sync/destinations/${type}/place/associations/set`, body);
  }
  await service.untilQuiet();
  for (const type of everyType) await service.ask('GET', `sys/sync/destinations/${type}/place/associations`);
  await service.ask('GET', 'sys/sync/associations/secret/app');
}
