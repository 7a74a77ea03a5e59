import { expect, test } from 'vitest';
import { openDoorbell } from '#app/doorbell.ts';
import { ConfigError, readConfig } from '#core/config.ts';
import { silentLog } from '#core/log/log.ts';
import { testRedis } from '../support/services.ts';

const { url } = testRedis();
const open = (queues: string) => openDoorbell(readConfig({ KEYFERRY_DOORBELL_SQS: queues }), url, silentLog);

test('a process without a configured doorbell has none', async () => {
  expect(await open('')).toBeUndefined();
});

test('a doorbell is configured with the addresses of the queues', async () => {
  const bell = await open('{"cloud-a-sm":"https://sqs.eu-central-1.amazonaws.com/123456789012/doorbell"}');
  expect(bell).toBeDefined();
  bell?.close();
});

test('a doorbell for an unknown type is refused, and so is an invalid address', async () => {
  await expect(open('{"cloud-z":"https://sqs.example/1/q"}')).rejects.toThrow(/KEYFERRY_DOORBELL_SQS .*cloud-z/);
  for (const wrong of ['{', '[]', '"text"', '{"cloud-a-sm":"queue"}', '{"cloud-a-sm":"ftp://example/q"}']) {
    expect(() => readConfig({ KEYFERRY_DOORBELL_SQS: wrong }), wrong).toThrow(ConfigError);
  }
});
