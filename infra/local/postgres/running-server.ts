import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '../../../lib/core/config.ts';
import { runningProcess } from '../running.ts';

/**
 * A server that was left behind on this data folder is ended first: two would ruin it. One whose own instance still runs is
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

/** The number may belong to another program by now. */
const isPostgres = (pid: number): boolean => /\bpostgres\b/.test(runningProcess(pid)?.command ?? '');

/** The Node process that started the server and still lives. An orphan has the first process for its parent. */
function ownerOf(pid: number): number | undefined {
  const parent = runningProcess(pid)?.parent ?? 0;
  return parent > 1 && /\bnode\b/.test(runningProcess(parent)?.command ?? '') ? parent : undefined;
}
