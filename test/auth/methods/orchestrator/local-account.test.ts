import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openLocalAccount } from '#auth/methods/orchestrator/local-account.ts';

test('the token is read again after a minute, the certificates after an hour, and a missing file each time', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keyferry-local-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  let at = 0;
  const local = openLocalAccount(folder, { now: () => new Date(at) });
  const both = async () => [await local.token(), await local.caCertificates()];
  const write = (text: string) =>
    Promise.all([writeFile(join(folder, 'token'), `${text}\n`), writeFile(join(folder, 'ca.crt'), text)]);

  expect(await both()).toEqual([undefined, undefined]);
  await write('one');
  expect(await both()).toEqual(['one', 'one']);
  await write('two');
  at = 59_999;
  expect(await both()).toEqual(['one', 'one']);
  at = 60_000;
  expect(await both()).toEqual(['two', 'one']);
  at = 3_600_000;
  expect(await both()).toEqual(['two', 'two']);
});
