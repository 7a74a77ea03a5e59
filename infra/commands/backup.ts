import { open, rename, rm, stat } from 'node:fs/promises';
import { databaseOf } from '#app/store-options.ts';
import { ConfigError, readConfig } from '#core/config.ts';
import { dump } from '#store/backup/dump.ts';
import { stepsOf } from '#store/backup/restore.ts';
import { verify } from '#store/backup/verify.ts';
import type { DatabaseAccess } from '#store/postgres/connect/servers.ts';
import { endProcess } from '../process/end.ts';
import { explain } from '../process/explain.ts';
import { endProgress, rowsOf, tableProgress } from '../show/moved.ts';
import { optionsOf } from '../show/options.ts';

const options = optionsOf('backup', {
  out: { type: 'string' },
  verify: { type: 'string' },
  json: { type: 'boolean', default: false },
});
const { out, verify: verified, json } = options;

/**
 * `npm run backup -- --out FILE [--json]` writes all data of the service, still encrypted, as of one instant.
 * `npm run backup -- --verify FILE [--json]` checks whether such a file is complete; it needs no database.
 */
try {
  if (verified !== undefined) await showVerified(verified);
  const database = databaseOf(readConfig(), 'the database that is backed up');
  if (out === undefined) throw new ConfigError('--out is missing: it names the file that the backup goes into');
  if (await exists(out)) throw new ConfigError(`${out} is there already: name another file`);
  const dumped = await write(database, out);
  const { header, rows, sha256 } = dumped;
  const told = { file: out, created_at: header.createdAt, cluster_id: header.clusterId ?? null, sha256, rows };
  process.stdout.write(
    json
      ? `${JSON.stringify(told)}\n`
      : `backup ${out}: ${rowsOf(dumped)} rows of ${header.createdAt}, SHA-256 ${sha256}\n` +
          'Only the unseal key or the key shares open it: keep them in another place.\n',
  );
  await endProcess(0);
} catch (error) {
  process.stderr.write(`backup: ${explain(error)}\n`);
  await endProcess(1);
}

async function showVerified(path: string): Promise<void> {
  if (out !== undefined) throw new ConfigError('--out and --verify are two commands: give one of them');
  const file = await open(path, 'r').catch((cause: NodeJS.ErrnoException) => {
    throw new ConfigError(`${path} cannot be read: ${cause.code ?? 'unknown error'}`);
  });
  const whole = await verify(file).finally(() => file.close());
  const { header, rows, sha256 } = whole;
  const told = { file: path, created_at: header.createdAt, cluster_id: header.clusterId ?? null, sha256, rows };
  process.stdout.write(
    json
      ? `${JSON.stringify(told)}\n`
      : `backup ${path} is whole: ${rowsOf(whole)} rows of ${header.createdAt}, SHA-256 ${sha256}\n`,
  );
  stepsOf(header);
  await endProcess(0);
}

/** Under another name until it is complete: an interrupted backup must not look like a whole one. */
async function write(database: DatabaseAccess, path: string) {
  const unfinished = `${path}.unfinished`;
  await rm(unfinished, { force: true });
  const file = await open(unfinished, 'wx', 0o600);
  try {
    const dumped = await dump(database, file, tableProgress(json));
    await file.close();
    await rename(unfinished, path);
    endProgress(json);
    return dumped;
  } catch (error) {
    await file.close();
    await rm(unfinished, { force: true });
    throw error;
  }
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
