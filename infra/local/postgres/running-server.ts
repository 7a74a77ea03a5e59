import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '#core/config.ts';
import { runningProcess } from '../running.ts';

/**
 * An orphaned server on this data folder is ended first: two servers would damage it. A server whose instance still runs is
 * in use.
 */
export async function endOldServer(dataDir: string): Promise<void> {
  const lock = await readFile(join(dataDir, 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number(lock.split('\n')[0]);
  if (!Number.isInteger(pid) || pid <= 1 || !isPostgres(pid)) return;
  const owner = ownerOf(pid);
  if (owner !== undefined) {
    throw new ConfigError(
      `${dataDir} is in use by process ${owner}: end it, or set KEYFERRY_DATA_DIR to another folder`,
    );
  }
  process.kill(pid, 'SIGINT');
  for (let waited = 0; waited < 100 && isPostgres(pid); waited += 1) {
    await new Promise((done) => setTimeout(done, 100));
  }
}

/** The process id may belong to another program meanwhile. */
const isPostgres = (pid: number): boolean => /\bpostgres\b/.test(runningProcess(pid)?.command ?? '');

/** The Node process that started the server, if it still runs. The parent of an orphan is the first process. */
function ownerOf(pid: number): number | undefined {
  const parent = runningProcess(pid)?.parent ?? 0;
  return parent > 1 && /\bnode\b/.test(runningProcess(parent)?.command ?? '') ? parent : undefined;
}
