import { sql } from 'kysely';
import type { Webhooks } from '#network/webhooks.ts';
import { pick } from '#store/sql/columns.ts';
import { float } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { deliveryColumns } from '../receivers/delivery.ts';
import { openTarget } from '../receivers/notification.ts';
import { type Attempt, post } from './post.ts';
import { retryDelayMs } from './retry.ts';
import { endTurn, lockReceiver, type Turn } from './turns.ts';

export interface SendParts {
  readonly store: Store;
  readonly webhooks: Pick<Webhooks, 'post'>;
  /** From 0 up to, not including, 1. */
  readonly random: () => number;
  /** Counts an attempt; `dead`: it was the last of its message. */
  readonly sent: (result: 'delivered' | 'failed' | 'dead') => void;
}

const waitingColumns = { ...pick(deliveryColumns, 'id', 'kind', 'body', 'attempts'), waited_ms: float };

/** Sends the first due message to a receiver that the caller has claimed. `signal` aborts the attempt, which then does not count. */
export async function sendNext(parts: SendParts, turn: Turn, signal: AbortSignal): Promise<void> {
  const { store, webhooks } = parts;
  const message = await firstDue(store, turn.id);
  if (message === undefined)
    return store.transaction(async (tx) => {
      await lockReceiver(tx, turn);
      await endTurn(tx, turn, undefined);
    });
  const attempt = await post(webhooks, openTarget(store, turn), message, store.clock.now(), signal);
  const after = attempt === undefined ? undefined : afterAttempt(message, attempt, parts.random());
  await store.transaction(async (tx) => {
    await lockReceiver(tx, turn);
    if (attempt !== undefined && after !== undefined)
      await sql`
        update sync_deliveries
           set state = ${after.state}, attempts = attempts + 1, next_at = now() + ${after.delayMs}::float8 * interval '1 millisecond',
               attempted_at = now(), status = ${attempt.status}::int, error = ${attempt.error}
         where id = ${message.id}::uuid and state = 'waiting' and attempts = ${message.attempts}::int`.execute(tx);
    await endTurn(tx, turn, attempt);
  });
  if (after !== undefined) parts.sent(after.state === 'waiting' ? 'failed' : after.state);
}

async function firstDue({ db }: Pick<Store, 'db'>, receiverId: string) {
  const { rows } = await rowsOf(waitingColumns)`
    select id, kind, body, attempts, (extract(epoch from now() - queued_at) * 1000)::float8 as waited_ms from sync_deliveries
     where notification_id = ${receiverId}::uuid and state = 'waiting' and next_at <= now()
     order by n limit 1`.execute(db);
  return rows[0];
}

function afterAttempt(
  { attempts, waited_ms }: { readonly attempts: number; readonly waited_ms: number },
  { delivered }: Attempt,
  random: number,
) {
  if (delivered) return { state: 'delivered', delayMs: 0 } as const;
  const delayMs = retryDelayMs(attempts + 1, waited_ms, random);
  return delayMs === undefined ? ({ state: 'dead', delayMs: 0 } as const) : ({ state: 'waiting', delayMs } as const);
}
