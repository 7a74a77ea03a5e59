import { isObject, memberOf, textOf, type Value } from '#client/wire/json.ts';

/** A failure as the API shows it. */
export interface ShownError {
  readonly kind: string;
  readonly message: string;
  readonly remedy: string;
}

/** A record of a sync. */
export interface SyncRecord {
  readonly id: string;
  readonly type: string;
  readonly destination: string;
  readonly mount: string;
  readonly secret: string;
  readonly status: string;
  readonly error: ShownError | undefined;
  readonly attempts: number;
  readonly nextAttemptAt: string;
  readonly recheckAt: string;
  readonly pendingSince: string;
  readonly updatedAt: string;
  readonly externalName: string;
  readonly entries: number;
  readonly granularity: string;
  readonly unconfirmed: boolean;
}

/** The record of each value is made once: rows that stay the same are not drawn again. */
const made = new WeakMap<object, SyncRecord>();

export function recordOf(value: Value): SyncRecord {
  if (typeof value !== 'object' || value === null) return recordIn(value);
  const known = made.get(value) ?? recordIn(value);
  made.set(value, known);
  return known;
}

function recordIn(value: Value): SyncRecord {
  const entries = memberOf(value, 'entries');
  const list: readonly Value[] = Array.isArray(entries) ? entries : [];
  return {
    id: textOf(value, 'id'),
    type: textOf(value, 'destination', 'type'),
    destination: textOf(value, 'destination', 'name'),
    mount: textOf(value, 'mount'),
    secret: textOf(value, 'secret_name'),
    status: textOf(value, 'status'),
    error: errorOf(memberOf(value, 'error')),
    attempts: Number(textOf(value, 'attempts') || 0),
    nextAttemptAt: textOf(value, 'next_attempt_at'),
    recheckAt: textOf(value, 'recheck_at'),
    pendingSince: textOf(value, 'pending_since'),
    updatedAt: textOf(value, 'updated_at'),
    externalName: textOf(list[0], 'external_name'),
    entries: list.length,
    granularity: textOf(value, 'granularity'),
    unconfirmed: memberOf(value, 'unconfirmed') === true,
  };
}

export const errorOf = (value: Value | undefined): ShownError | undefined =>
  isObject(value)
    ? { kind: textOf(value, 'kind'), message: textOf(value, 'message'), remedy: textOf(value, 'remedy') }
    : undefined;
