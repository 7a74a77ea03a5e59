import { sql } from 'kysely';
import { expect } from 'vitest';
import type { EventKind } from '#notices/events/event.ts';
import type { Answer } from '#test/support/flow/calls/ask.ts';
import type { OpenService } from '#test/support/flow/open-service.ts';

export interface ShownEvent {
  readonly id: string;
  readonly kind: EventKind;
  readonly destination?: { readonly type: string; readonly name: string };
  readonly [member: string]: unknown;
}

type Ask = (method: string, path: string, body?: unknown) => Promise<Answer>;

/** The events of the root, or of a namespace, about a destination. */
export async function eventsOf(ask: Ask, name: string): Promise<readonly ShownEvent[]> {
  const { status, data, text } = await ask('GET', 'sys/sync/events?limit=500');
  expect(status, text).toBe(200);
  return (data['events'] as readonly ShownEvent[]).filter(({ destination }) => destination?.name === name);
}

/** Lets the time of all that was told pass, so that the next look need not wait. */
export async function later(service: OpenService): Promise<void> {
  await sql`
    update sync_told set failing_since = failing_since - interval '1 hour', counted_at = counted_at - interval '1 hour',
                         circuit_told_at = circuit_told_at - interval '1 hour', throttled_told_at = throttled_told_at - interval '1 hour'`.execute(
    service.store.db,
  );
}

/** Creates a notification. Returns its name and its key. */
export async function notification(service: OpenService, url: string, more: object = {}, ask: Ask = service.ask) {
  const name = service.name('hook');
  const made = await ask('POST', `sys/sync/notifications/${name}`, { url, ...more });
  expect(made.status, made.text).toBe(200);
  return { name, secret: String(made.data['secret']) };
}

export interface ShownDelivery {
  readonly id: string;
  readonly state: string;
  readonly attempts: number;
  readonly last_status: number | null;
  readonly last_error: string | null;
  readonly next_attempt_at: string | null;
  readonly [member: string]: unknown;
}

export async function deliveriesOf(ask: Ask, name: string, query = ''): Promise<readonly ShownDelivery[]> {
  const { status, data, text } = await ask('GET', `sys/sync/notifications/${name}/deliveries${query}`);
  expect(status, text).toBe(200);
  return data['deliveries'] as readonly ShownDelivery[];
}

/** Makes all messages of a notification due. */
export async function due(service: OpenService, name: string): Promise<void> {
  const { db } = service.store;
  await sql`
    update sync_deliveries d set next_at = now() from sync_notifications n
     where n.id = d.notification_id and n.name = ${name} and d.state = 'waiting'`.execute(db);
  await sql`update sync_notifications set turn_at = now(), paused_until = null where name = ${name} and turn_at is not null`.execute(
    db,
  );
}

/** Tells at once what a look notes, without the wait for the rest of its group. */
export async function tellNow(service: OpenService): Promise<void> {
  await service.tell(AbortSignal.abort());
  await later(service);
  await service.tell(AbortSignal.abort());
}
