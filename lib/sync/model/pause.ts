import { sql } from 'kysely';
import { badField } from '#core/errors.ts';
import { bool } from '#store/sql/kinds.ts';
import { expressionOf } from '#store/sql/rows.ts';

/**
 * A pause of one destination, or of the whole sync (docs/architecture.md, rule 3.5). It ends by itself when its time passes: every
 * reader compares the time, so nothing has to happen at that moment.
 */
export interface Pause {
  readonly disabled: boolean;
  /** When the pause ends by itself; null while not paused, and for a pause without an end. */
  readonly until: Date | null;
}

export const running: Pause = { disabled: false, until: null };

/** What a stored pause means now. */
export function pauseNow(row: { readonly disabled: boolean; readonly disabled_until: Date | null }, now: Date): Pause {
  if (!row.disabled || (row.disabled_until !== null && row.disabled_until <= now)) return running;
  return { disabled: true, until: row.disabled_until };
}

/** The condition that a pause is in force. @param table name or alias of `destinations` or `sync_config` in the statement */
export const isPaused = (table: string) =>
  expressionOf(
    bool,
  )`(${sql.ref(`${table}.disabled`)} and coalesce(${sql.ref(`${table}.disabled_until`)} > now(), true))`;

/** The fields of a request about a pause; null resets a field, undefined leaves it. */
export interface GivenPause {
  readonly disabled?: boolean | null | undefined;
  readonly disabled_until?: string | null | undefined;
}

/**
 * The pause after a request.
 * @param before the pause as it is now
 * @throws AppError `bad-request` for a time that has passed, or a time without a pause
 */
export function pauseAfter(before: Pause, { disabled, disabled_until }: GivenPause, now: Date): Pause {
  const pauses = disabled === undefined ? before.disabled : disabled === true;
  if (typeof disabled_until === 'string') {
    const until = new Date(disabled_until);
    if (!pauses) throw badField('disabled_until', 'disabled_until is the end of a pause: send disabled=true as well');
    if (until <= now) throw badField('disabled_until', 'disabled_until must be in the future');
    return { disabled: true, until };
  }
  if (!pauses) return running;
  return { disabled: true, until: disabled_until === undefined ? before.until : null };
}
