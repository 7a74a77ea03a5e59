import { permissionDenied } from '#core/errors.ts';
import type { RequestContext } from '#path/contract/request.ts';
import type { Store } from '#store/store.ts';
import type { LoginName } from './aliases.ts';
import { type LockoutRule, ruleOf } from './settings.ts';
import { type Counted, type CountRule, countFailure, countSuccess, failuresFinder } from './store.ts';

/** The mount of a login. */
type Place = Pick<RequestContext, 'mount'>;

/**
 * Refuses logins with a name for a while after consecutive wrong credentials. Names that do not exist are treated in the same way with
 * the same statements. All processes share the counts.
 */
export interface Lockout {
  /**
   * Checks credentials unless the name is locked out, and counts the result.
   *
   * @param credentials whether the credentials are correct; takes as long and returns false for a name that does not exist
   * @throws AppError `permission-denied` when the name is locked out, or was locked out during the check
   */
  check(place: Place, found: FoundName, credentials: () => Promise<boolean>): Promise<boolean>;
  /**
   * Counts credentials that were checked in the statement which read `failuresOf`.
   *
   * @throws AppError `permission-denied` when the name is locked out
   */
  record(place: Place, seen: SeenCredentials): Promise<boolean>;
}

/** A name as the look-up of a login found it. */
export interface FoundName {
  readonly name: LoginName;
  /** Whether a user or role has the name. */
  readonly isKnown: boolean;
  readonly isLocked: boolean;
  /** Whether the part of the mount has had too many names. */
  readonly isFlooded: boolean;
}

export interface SeenCredentials extends Pick<FoundName, 'name' | 'isKnown'> {
  readonly isCorrect: boolean;
  readonly hasFailures: boolean;
}

/**
 * A failure is counted after the check, and a success then checks for a lockout: of concurrent guesses at most as many as the threshold
 * get an answer, while concurrent correct logins do not block each other.
 */
export function openLockout(
  store: Pick<Store, 'db'>,
  configured: LockoutRule,
  namesMax: number = namesMaxDefault,
): Lockout {
  const hasFailures = failuresFinder(store);
  const ruleAt = ({ mount }: Place): CountRule | undefined => {
    const rule = ruleOf(mount, configured);
    return rule && { ...rule, namesMax };
  };
  const count = async (who: Counted, isCorrect: boolean, rule: CountRule): Promise<boolean> => {
    const isAllowed = isCorrect ? await countSuccess(store, who) : await countFailure(store, who, rule);
    if (!isAllowed) throw permissionDenied();
    return isCorrect;
  };
  return {
    async check(place, { name, isKnown, isLocked, isFlooded }, credentials) {
      const rule = ruleAt(place);
      if (rule === undefined) return credentials();
      // In a flooded part unknown names are not counted, so the check must run for all names and take the same time.
      if (isLocked && !isFlooded) throw permissionDenied();
      const who = { ...name, isKnown };
      const isCorrect = await credentials();
      if (isCorrect && !(await hasFailures(who))) return true;
      return count(who, isCorrect, rule);
    },
    async record(place, { name, isKnown, isCorrect, hasFailures }) {
      const rule = ruleAt(place);
      if (rule === undefined || (isCorrect && !hasFailures)) return isCorrect;
      return count({ ...name, isKnown }, isCorrect, rule);
    },
  };
}

/** Number of names whose failures are counted in each of the 64 parts of a mount. */
const namesMaxDefault = 256;
