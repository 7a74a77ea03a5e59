import { permissionDenied } from '../../core/errors.ts';
import type { RequestContext } from '../../path/contract/request.ts';
import type { Store } from '../../store/store.ts';
import type { LoginName } from './aliases.ts';
import { type LockoutRule, ruleOf } from './settings.ts';
import { type CountRule, countFailure, countSuccess, failuresFinder } from './store.ts';

/** Where a login happens. */
type Place = Pick<RequestContext, 'mount'>;

/**
 * Refuses logins with a name for a while after wrong credentials. A name that no user or role has is treated as one that exists,
 * with the same statements. All processes share the counts.
 */
export interface Lockout {
  /**
   * Looks at credentials, unless the name is locked out.
   *
   * @param credentials whether they are right; for a name that does not exist it takes as long and answers false
   * @throws AppError `permission-denied` when the name is locked out, or has been when the credentials had been looked at
   */
  check(place: Place, found: FoundName, credentials: () => Promise<boolean>): Promise<boolean>;
  /**
   * Counts credentials that the statement which asked for failures (`failuresOf`) has looked at already.
   *
   * @throws AppError `permission-denied` when the name is locked out
   */
  record(place: Place, seen: SeenCredentials): Promise<boolean>;
}

/** What the look-up of a login has said of its name. */
export interface FoundName {
  readonly name: LoginName;
  /** A user or role has the name. */
  readonly isKnown: boolean;
  readonly isLocked: boolean;
  /** The part of the mount has had too many names. */
  readonly isFlooded: boolean;
}

export interface SeenCredentials extends Pick<FoundName, 'name' | 'isKnown'> {
  readonly right: boolean;
  readonly hasFailures: boolean;
}

/**
 * Failures are counted when they are known, and a success asks whether there has been a lockout meanwhile: of guesses that come
 * at the same time, no more are answered than the threshold says, while many right logins at once do not get in each other's way.
 */
export function openLockout(
  store: Pick<Store, 'db'>,
  configured: LockoutRule,
  namesMax: number = namesMaxUsual,
): Lockout {
  const hasFailures = failuresFinder(store);
  const ruleAt = ({ mount }: Place): CountRule | undefined => {
    const rule = ruleOf(mount, configured);
    return rule && { ...rule, namesMax };
  };
  return {
    async check(place, { name, isKnown, isLocked, isFlooded }, credentials) {
      const rule = ruleAt(place);
      if (rule === undefined) return credentials();
      // In a flood a name that does not exist is not counted, so the time must not say which names are.
      if (isLocked && !isFlooded) throw permissionDenied();
      const who = { ...name, isKnown };
      const right = await credentials();
      if (right && !(await hasFailures(who))) return true;
      const answered = right ? await countSuccess(store, who) : await countFailure(store, who, rule);
      if (!answered) throw permissionDenied();
      return right;
    },
    async record(place, { name, isKnown, right, hasFailures }) {
      const rule = ruleAt(place);
      if (rule === undefined || (right && !hasFailures)) return right;
      const who = { ...name, isKnown };
      const answered = right ? await countSuccess(store, who) : await countFailure(store, who, rule);
      if (!answered) throw permissionDenied();
      return right;
    },
  };
}

/** Names of one part of a mount of which failures are counted, of those that do not exist; a mount has 64 parts. */
const namesMaxUsual = 256;

/** What holds unless the configuration says otherwise. */
export const usualLockout: LockoutRule = { threshold: 5, seconds: 900, resetSeconds: 900 };
