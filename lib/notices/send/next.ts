import { sql } from 'kysely';
import type { Clock } from '#core/clock.ts';
import type { Webhooks } from '#network/webhooks.ts';
import { pick } from '#store/sql/columns.ts';
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
  readonly clock: Clock;
  /** From 0 up to, not including, 1. */
  readonly random: () => number;
  /** Counts an attempt; `dead`: it was the last of its message. */
  readonly sent: (result: 'delivered' | 'failed' | 'dead') => void;
}

const waitingColumns = pick(deliveryColumns, 'id', 'kind', 'body', 'attempts', 'queued_at');

/** Sends the first due message to a receiver that the caller has claimed. `signal` aborts the attempt, which then does not count. */
export async function sendNext(parts: SendParts, turn: Turn, signal: AbortSignal): Promise<void> {
  const { store, webhooks, clock } = parts;
  const message = await firstDue(store, turn.id, clock.now());
  if (message === undefined)
    return store.transaction(async (tx) => {
      await lockReceiver(tx, turn);
      await endTurn(tx, turn, undefined, clock.now());
    });
  const attempt = await post(webhooks, openTarget(store, turn), message, clock.now(), signal);
  const now = clock.now();
  const after = attempt === undefined ? undefined : afterAttempt(message, attempt, now, parts.random());
  await store.transaction(async (tx) => {
    await lockReceiver(tx, turn);
    if (attempt !== undefined && after !== undefined)
      await sql`
        update sync_deliveries
           set state = ${after.state}, attempts = attempts + 1, next_at = coalesce(${after.nextAt}::timestamptz, next_at),
               attempted_at = now(), status = ${attempt.status}::int, error = ${attempt.error}
         where id = ${message.id}::uuid and state = 'waiting' and attempts = ${message.attempts}::int`.execute(tx);
    await endTurn(tx, turn, attempt, now);
  });
  if (after !== undefined) parts.sent(after.state === 'waiting' ? 'failed' : after.state);
}

async function firstDue({ db }: Pick<Store, 'db'>, receiverId: string, now: Date) {
  const { rows } = await rowsOf(waitingColumns)`
    select id, kind, body, attempts, queued_at from sync_deliveries
     where notification_id = ${receiverId}::uuid and state = 'waiting' and next_at <= ${now}::timestamptz
     order by n limit 1`.execute(db);
  return rows[0];
}

function afterAttempt(
  { attempts, queued_at }: { readonly attempts: number; readonly queued_at: Date },
  { delivered }: Attempt,
  now: Date,
  random: number,
) {
  if (delivered) return { state: 'delivered', nextAt: null } as const;
  const delayMs = retryDelayMs(attempts + 1, now.getTime() - queued_at.getTime(), random);
  if (delayMs === undefined) return { state: 'dead', nextAt: null } as const;
  return { state: 'waiting', nextAt: new Date(now.getTime() + delayMs) } as const;
}
