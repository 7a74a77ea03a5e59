import { takeTurns } from '#core/concurrency/take-turns.ts';
import { hasGit } from '#network/git/program.ts';
import type { Store } from '#store/store.ts';
import { type IngestParts, ingest } from './ingest.ts';
import { claimIngresses } from './turns.ts';

/** Commits that one process fetches concurrently. */
const atOnceMax = 4;

/**
 * Fetches commits until none is due or `signal` aborts. Several processes may do this concurrently. Without git nothing is claimed: commits wait
 * for a process that has it.
 *
 * @returns the number of turns
 * @throws the first error that is not about a repository, after the other turns
 */
export async function ingestDue(store: Store, parts: IngestParts, signal: AbortSignal): Promise<number> {
  if (!(await hasGit(parts.git.program))) return 0;
  const claim = async (room: number) =>
    (await claimIngresses(store, room)).map((row) => () => ingest(store, parts, row, signal));
  return takeTurns([{ atOnceMax, claim }], signal);
}
