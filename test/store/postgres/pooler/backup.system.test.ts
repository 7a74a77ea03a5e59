import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { silentLog } from '#core/log/log.ts';
import { dump } from '#store/backup/dump.ts';
import { restore } from '#store/backup/restore.ts';
import { openStore } from '#store/open.ts';
import { poolerOf } from '#test/support/postgres/pooler.ts';
import { emptyDatabase, ending } from '#test/support/services.ts';
import { storeOptions } from '../../stores.ts';

const start = await poolerOf('1.18');

async function throughPooler(databaseUrl: string): Promise<string> {
  const pooler = await start?.({ databaseUrl, serverConnections: 2 });
  if (pooler === undefined) throw new Error('there is no pooler');
  return ending(pooler).url;
}

test.skipIf(start === undefined)(
  'a backup is made and restored through a pooler, and its settings are left to no other client',
  async () => {
    const [source, target] = [await emptyDatabase(), await emptyDatabase()];
    await (await openStore(storeOptions(source))).close();
    const bare = async (url: string, text: string) => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      return (await client.query(text).finally(() => client.end())).rows;
    };
    await bare(source, `update revisions set revision = 7 where name = 'mounts'`);
    const role = new URL(source).username;
    for (const url of [source, target]) {
      const database = new URL(url).pathname.slice(1);
      await bare(url, `alter role ${role} in database ${database} set statement_timeout = '77s'`);
    }
    const [from, to] = [await throughPooler(source), await throughPooler(target)];
    const folder = await mkdtemp(join(tmpdir(), 'keyferry-pooled-backup-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const file = await open(join(folder, 'backup'), 'wx+');
    onTestFinished(() => file.close());
    await dump({ databaseUrl: from }, file, () => {});
    await restore({ database: { databaseUrl: to }, file, force: false, log: silentLog, onTable: () => {} });
    expect(await bare(to, `select revision from revisions where name = 'mounts'`)).toEqual([{ revision: 7 }]);
    for (const url of [from, to]) {
      for (let turn = 0; turn < 4; turn += 1) {
        expect(await bare(url, `show statement_timeout`)).toEqual([{ statement_timeout: '77s' }]);
      }
    }
  },
);
