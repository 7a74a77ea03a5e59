import { GitFailure, type GitSettings } from '#network/git/settings.ts';
import { ApiError } from '#path/jsonapi/error.ts';
import type { Store } from '#store/store.ts';
import { holdWorkspace } from '../../access/hold.ts';
import type { SeeWork } from '../../contract.ts';
import { withCommit } from './fetch.ts';
import { dropCommit, giveUp, keepCommit, noteFailure } from './finish.ts';
import { remoteSource } from './source.ts';
import { attemptsMax, type IngressRow, putBack, putOff, turnMsMax } from './turns.ts';

export interface IngestParts {
  readonly git: GitSettings;
  readonly see: SeeWork;
}

/** Fetches the commit of one turn. A failure is shown on its configuration version, and the fetch is repeated if that may help. */
export async function ingest(
  store: Store,
  { git, see }: IngestParts,
  row: IngressRow,
  signal: AbortSignal,
): Promise<void> {
  const deadline = AbortSignal.timeout(turnMsMax);
  const ends = AbortSignal.any([signal, deadline]);
  try {
    const wanted = await remoteSource(store, row);
    await withCommit(git, wanted, ends, (fetched) =>
      fetched === undefined ? dropCommit(store, row) : keepCommit(store, row, fetched),
    );
    see('commit', 'done');
  } catch (error) {
    if (signal.aborted) return putBack(store, row);
    await end(store, see, row, deadline.aborted ? tooSlow() : error);
  }
}

const tooSlow = () => new GitFailure(`it took longer than ${turnMsMax / 1_000} seconds`, { isTemporary: true });

/** Errors that are not about the repository are errors of this service: they are tried again, and thrown for the log. */
async function end(store: Store, see: SeeWork, row: IngressRow, error: unknown): Promise<void> {
  const known = error instanceof GitFailure || error instanceof ApiError;
  const isFinal = row.attempts >= attemptsMax || (known && !(error instanceof GitFailure && error.isTemporary));
  await store.transaction(async (tx) => {
    if (isFinal) await holdWorkspace(tx, row.workspace_id);
    await noteFailure(tx, row, known ? error.message : 'this service could not store the files of the commit');
    await (isFinal ? giveUp : putOff)(tx, row);
  });
  see('commit', isFinal ? 'dead' : 'failed');
  if (!known) throw error;
}
