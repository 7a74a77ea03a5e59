import { AppError } from '#core/errors.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { bytea, float, int, jsonOf } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { totpSettings } from '../methods/settings.ts';
import { secretAad } from '../secrets/enrol.ts';
import { stepOfCode } from '../secrets/totp.ts';

/** A correct code, which is valid until it is used. */
export interface Proof {
  readonly methodId: string;
  /** The TOTP time step of the code. */
  readonly step: number;
  /** Seconds for which the store has to remember the code after its use. */
  readonly keptSeconds: number;
}

/** A reply with 403 that does not reveal whether the code was wrong, used before or missing. */
export const notPassed = (text = notPassedText) => new AppError('permission-denied', text);
export const notPassedText = 'MFA credentials not supplied or incorrect';

const attemptedColumns = {
  attempts: int,
  attemptsMax: int,
  settings: jsonOf(totpSettings),
  secret: bytea,
  /** Seconds since 1970 by the clock of the store, which all processes share. */
  now: float,
};

/**
 * Checks the code of an entity. The attempt is counted in the store before the code is checked, so more processes do not give
 * more attempts.
 *
 * @returns the proof, or the reason for the refusal
 */
export async function attempt(
  store: Pick<Store, 'db' | 'barrier'>,
  entityId: string,
  { methodId, code }: { readonly methodId: string; readonly code: string },
): Promise<Proof | string> {
  const found = await countAttempt(store, entityId, methodId);
  if (found === undefined) return notPassedText;
  const { attempts, attemptsMax, settings, secret, now } = found;
  if (attempts > attemptsMax) return tooMany(attempts, attemptsMax, settings.period);
  const key = store.barrier.open(secret, secretAad(methodId, entityId));
  const step = stepOfCode(key, settings, code, now);
  key.fill(0);
  if (step === undefined) return notPassedText;
  return { methodId, step, keptSeconds: settings.period * (2 + settings.skew) };
}

/** Counts attempts in windows of one TOTP period. Undefined when the entity has no secret for the method. */
async function countAttempt(
  { db }: Pick<Store, 'db'>,
  entityId: string,
  methodId: string,
): Promise<RowOf<typeof attemptedColumns> | undefined> {
  const { rows } = await rowsOf(attemptedColumns)`
    with own as (
      select s.secret, s.settings, (m.settings->>'max_validation_attempts')::int as attempts_max,
             make_interval(secs => (s.settings->>'period')::int) as period
        from mfa_secrets s join mfa_methods m on m.id = s.method_id
       where s.method_id = ${methodId} and s.entity_id = ${entityId} and m.removed_at is null for key share of s),
    counted as (
      insert into mfa_attempts as a (method_id, entity_id, attempts, expire_at)
      select ${methodId}::uuid, ${entityId}, 1, now() + own.period from own
      on conflict (method_id, entity_id) do update
        set attempts = case when a.expire_at <= now() then 1 else least(a.attempts + 1, ${countMax}) end,
            expire_at = case when a.expire_at <= now() then excluded.expire_at else a.expire_at end
      returning attempts)
    select counted.attempts, own.attempts_max as "attemptsMax", own.settings, own.secret,
           extract(epoch from now())::float8 as now
      from own, counted`.execute(db);
  return rows[0];
}

const countMax = 1_000_000;

/** The API family writes the unit twice. */
const tooMany = (attempts: number, most: number, period: number): string =>
  `maximum TOTP validation attempts ${attempts} exceeded the allowed attempts ${most}. Please try again in ${period}s seconds`;
