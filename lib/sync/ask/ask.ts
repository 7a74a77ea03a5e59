import { AppError } from '#core/errors.ts';
import { randomBase62 } from '#core/ids.ts';
import type { Asks } from '#queue/contract.ts';
import type { Store } from '#store/store.ts';
import { loadSettings } from '../model/settings.ts';
import { openReply, type Question, type Reply, sealQuestion } from './question.ts';

export interface AskParts {
  readonly store: Store;
  readonly asks: Pick<Asks, 'ask'>;
  /** How long a request waits for an operation, in milliseconds. A question waits twice as long for a worker that takes it. */
  readonly waitMs: number;
}

const takenMsMin = 100;
/** How long a worker may take for the answer. */
const answerMsMax = 12_000;

/**
 * Asks a worker of this type, which has the driver and the network of the pushes (docs/decisions/0025-ask-the-worker.md).
 * @throws AppError unavailable when no worker answers in time, bad-request while the sync is disabled
 */
export async function askWorker(
  { store, asks, waitMs }: AskParts,
  type: string,
  question: Question,
  signal: AbortSignal,
): Promise<Reply> {
  await mustBeEnabled(store);
  const id = randomBase62(22);
  const takenMsMax = Math.max(takenMsMin, 2 * waitMs);
  const text = await asks.ask({ type, id, text: sealQuestion(store, id, question), takenMsMax, answerMsMax }, signal);
  if (text !== undefined) return openReply(store, id, text);
  const advice = 'check that one runs, is unsealed and reaches Redis, and try again';
  throw new AppError('unavailable', `no worker of type ${type} answered in time: ${advice}`);
}

/** While the sync is disabled, no external call begins (docs/architecture.md, rule 3.5). */
export async function mustBeEnabled(store: Store): Promise<void> {
  const { disabled } = await loadSettings(store);
  if (!disabled) return;
  throw new AppError(
    'bad-request',
    'the sync is disabled, so no external system is called: enable it in sys/sync/config',
  );
}
