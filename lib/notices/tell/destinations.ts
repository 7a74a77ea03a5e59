import { sql, type Transaction } from 'kysely';
import type { GateState } from '#queue/contract.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import type { EventKind, NewEvent } from '../events/event.ts';
import { type Seen, seenOf } from './concerned.ts';
import { failedOf } from './counts.ts';
import { decideCircuit, decideCounted, decideFailing, decideThrottled, isIdle, type Told } from './decide.ts';
import { holdsNamespace, recordEvents } from './record.ts';

export interface Concerned {
  readonly namespaceId: string;
  /** Ids of destinations with the states of their gates; undefined while Redis is unavailable. */
  readonly gates: ReadonlyMap<string, GateState | undefined>;
}

export interface Result {
  readonly told: readonly EventKind[];
  /** Failed syncs were noted, and are told a little later. */
  readonly noted: boolean;
}

const nothing: Result = { told: [], noted: false };

/**
 * Tells what is new of destinations of one namespace, in one transaction, which reads how they are now. A second process that does
 * the same at the same time gives up, and one that comes later finds what was told.
 */
export function tellDestinations(
  store: Pick<Store, 'transaction' | 'clock'>,
  { namespaceId, gates }: Concerned,
): Promise<Result> {
  return store.transaction(async (tx) => {
    if (!(await holdsNamespace(tx, namespaceId))) return nothing;
    const now = store.clock.now();
    const seen = await seenOf(tx, [...gates.keys()]);
    const asked = seen.map((one) => {
      const present = { ...one, gate: gates.get(one.id) };
      const nowMs = now.getTime();
      return {
        one,
        failing: decideFailing(one, present, nowMs),
        circuit: decideCircuit(one, present, nowMs),
        throttled: decideThrottled(one, present, nowMs),
      };
    });
    const counts = await failedOf(
      tx,
      asked.flatMap(({ one, failing }) => (failing === 'count' ? [one.id] : [])),
    );
    const changes = asked.map((ask) => changeOf(ask, { counts, now, gate: gates.get(ask.one.id) }));
    const told = await recordEvents(
      tx,
      namespaceId,
      changes.flatMap(({ events }) => events),
    );
    await keepTold(
      tx,
      changes.flatMap(({ id, after }) => (after === undefined ? [] : [{ id, after }])),
    );
    await forget(
      tx,
      changes.flatMap(({ id, before, after }) => (isIdle(after ?? before, now.getTime()) ? [id] : [])),
    );
    return { told, noted: asked.some(({ failing }) => failing === 'note') };
  });
}

interface Asked {
  readonly one: Seen;
  readonly failing: ReturnType<typeof decideFailing>;
  readonly circuit: ReturnType<typeof decideCircuit>;
  readonly throttled: ReturnType<typeof decideThrottled>;
}

interface Facts {
  readonly counts: Awaited<ReturnType<typeof failedOf>>;
  readonly now: Date;
  readonly gate: GateState | undefined;
}

/** The events of a destination, and what is told of it then; undefined: nothing changes. */
function changeOf({ one, failing, circuit, throttled }: Asked, { counts, now, gate }: Facts) {
  const destination = { type: one.type, name: one.name };
  const events: NewEvent[] = [];
  let after: Told | undefined;
  const change = (changed: Partial<Told>) => {
    after = { ...(after ?? one), ...changed };
  };
  if (circuit === 'opened') {
    events.push({ kind: 'destination.circuit-opened', destination, details: openUntil(gate) });
    change({ circuit_open: true, circuit_told_at: now });
  }
  if (circuit === 'closed') {
    events.push({ kind: 'destination.circuit-closed', destination, details: {} });
    change({ circuit_open: false });
  }
  if (throttled === 'throttled') {
    const details = { since: (gate?.throttledSince ?? now).toISOString(), ...openUntil(gate) };
    events.push({ kind: 'destination.throttled', destination, details });
    change({ throttled: true, throttled_told_at: now });
  }
  if (throttled === 'unthrottled') {
    events.push({ kind: 'destination.unthrottled', destination, details: {} });
    change({ throttled: false });
  }
  const since = (one.failing_since ?? now).toISOString();
  if (failing === 'note') change({ failing_since: now });
  if (failing === 'drop') change({ failing_since: null });
  if (failing === 'recover') {
    events.push({ kind: 'destination.recovered', destination, details: { since } });
    change({ failing_since: null, failed: 0, kinds: [] });
  }
  const counted = failing === 'count' ? counts.get(one.id) : undefined;
  if (counted !== undefined) {
    const present = counted.errors.map(({ kind }) => kind);
    const { isNews, failed, kinds } = decideCounted(one, counted.failed + (counted.failed_at_least ? 1 : 0), present);
    if (isNews) events.push({ kind: 'destination.failing', destination, details: { ...counted, since } });
    change({ failed, kinds, counted_at: now });
  }
  return { id: one.id, before: one, after, events };
}

const openUntil = (gate: GateState | undefined) =>
  gate?.openUntil === undefined ? {} : { open_until: gate.openUntil.toISOString() };

async function keepTold(tx: Transaction<Database>, changes: readonly { readonly id: string; readonly after: Told }[]) {
  if (changes.length === 0) return;
  const input = changes.map(({ id, after }) => ({ destination_id: id, ...after }));
  // A destination that was deleted meanwhile is left out.
  await sql`
    insert into sync_told (destination_id, failing_since, counted_at, failed, kinds, circuit_open, circuit_told_at, throttled, throttled_told_at)
    select d.id, i.failing_since, i.counted_at, i.failed, array(select jsonb_array_elements_text(i.kinds)), i.circuit_open, i.circuit_told_at,
           i.throttled, i.throttled_told_at
      from jsonb_to_recordset(${JSON.stringify(input)}::jsonb)
        as i(destination_id bigint, failing_since timestamptz, counted_at timestamptz, failed int, kinds jsonb,
             circuit_open boolean, circuit_told_at timestamptz, throttled boolean, throttled_told_at timestamptz)
      join destinations d on d.id = i.destination_id
     order by d.id
        on conflict (destination_id) do update
       set failing_since = excluded.failing_since, counted_at = excluded.counted_at, failed = excluded.failed,
           kinds = excluded.kinds, circuit_open = excluded.circuit_open, circuit_told_at = excluded.circuit_told_at,
           throttled = excluded.throttled, throttled_told_at = excluded.throttled_told_at`.execute(tx);
}

async function forget(tx: Transaction<Database>, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await sql`delete from sync_told where destination_id = any(${ids}::bigint[])`.execute(tx);
}
