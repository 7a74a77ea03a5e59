import { sql } from 'kysely';
import { AppError } from '../../../core/errors.ts';
import type { Store } from '../../../store/store.ts';
import { secretAad } from '../secrets/enrol.ts';
import { type CodeSettings, stepOfCode } from '../secrets/totp.ts';

/** A right code, which is good until it has been used. */
export interface Proof {
  readonly methodId: string;
  /** The step of time that the code is of. */
  readonly step: number;
  /** Seconds for which it has to be remembered that it was used. */
  readonly keptSeconds: number;
}

/** 403. Whether a code was wrong, used before or not there is not said. */
export const notPassed = (text = notPassedText) => new AppError('permission-denied', text);
export const notPassedText = 'MFA credentials not supplied or incorrect';

interface Attempted {
  readonly attempts: number;
  readonly attemptsMax: number;
  readonly settings: CodeSettings;
  readonly secret: Buffer;
  /** Seconds since 1970, by the clock of the store, which all processes share. */
  readonly now: number;
}

/**
 * Checks the code of an entity. The attempt is counted before the code is looked at, in the store, so no number of processes
 * gives more attempts.
 *
 * @returns the proof, or why there is none
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

/** Counts in windows of a period. Undefined: the entity has no secret for the method. */
async function countAttempt(
  { db }: Pick<Store, 'db'>,
  entityId: string,
  methodId: string,
): Promise<Attempted | undefined> {
  const { rows } = await sql<Attempted>`
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

/** The doubled unit is that of the API family. */
const tooMany = (attempts: number, most: number, period: number): string =>
  `maximum TOTP validation attempts ${attempts} exceeded the allowed attempts ${most}. Please try again in ${period}s seconds`;
