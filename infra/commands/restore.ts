import { open } from 'node:fs/promises';
import { databaseOf } from '#app/store-options.ts';
import { ConfigError, readConfig } from '#core/config.ts';
import { openLog } from '#core/log/open.ts';
import { restore } from '#store/backup/restore.ts';
import { endProcess } from '../process/end.ts';
import { explain } from '../process/explain.ts';
import { endProgress, rowsOf, tableProgress } from '../show/moved.ts';
import { optionsOf } from '../show/options.ts';

const options = optionsOf('restore', {
  in: { type: 'string' },
  force: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
});
const { in: path, force, json } = options;

/** `npm run restore -- --in FILE [--force] [--json]`: restores a backup into an empty database; with `--force` it replaces a store. */
try {
  const config = readConfig();
  const database = databaseOf(config, 'the database that is restored');
  if (path === undefined) throw new ConfigError('--in is missing: it names the file of the backup');
  const file = await open(path, 'r').catch((cause: NodeJS.ErrnoException) => {
    throw new ConfigError(`${path} cannot be read: ${cause.code ?? 'unknown error'}`);
  });
  const restored = await restore({ database, file, force, log: openLog(config), onTable: tableProgress(json) });
  endProgress(json);
  await file.close();
  const { header, rows } = restored;
  const told = { file: path, created_at: header.createdAt, cluster_id: header.clusterId ?? null, rows };
  process.stdout.write(
    json
      ? `${JSON.stringify(told)}\n`
      : `restored ${path}: ${rowsOf(restored)} rows of ${header.createdAt}\n` +
          'Start the API with the unseal key, or unseal it with its key shares.\n',
  );
  await endProcess(0);
} catch (error) {
  process.stderr.write(`restore: ${explain(error)}\n`);
  await endProcess(1);
}
