import { randomInt } from 'node:crypto';
import { permissionDenied } from '../../core/errors.ts';
import type { RequestContext } from '../../path/contract/request.ts';
import type { Store } from '../../store/store.ts';
import { type LockoutRule, ruleOf } from './settings.ts';
import { countFailure, countSuccess, failuresFinder, type Somebody } from './store.ts';

/** Where a login happens. */
type Place = Pick<RequestContext, 'mount' | 'namespace'>;

/** Keeps who guesses out for a while. All processes share the counts. */
export interface Lockout {
  /**
   * Looks at the credentials of somebody who exists, unless he is locked out.
   *
   * @param isLocked whether he was when he was looked up (`lockedOut`)
   * @param check whether the credentials are right
   * @throws AppError `permission-denied` when he is locked out, or has been when the credentials had been looked at
   */
  guarded(place: Place, alias: string, isLocked: boolean, check: () => Promise<boolean>): Promise<boolean>;
  /**
   * Judges credentials that were looked at by the statement that also asked for failures (`failuresOf`). Whoever is locked out is
   * told nothing of them.
   *
   * @throws AppError `permission-denied` when he is locked out
   */
  judged(place: Place, alias: string, seen: Seen): Promise<boolean>;
  /** The same statement for somebody who does not exist as for wrong credentials that were judged. */
  nobody(place: Place): Promise<void>;
  /** Takes as long for somebody who was not found by that look-up, and counts nothing. `check` finds the credentials wrong. */
  unknown(place: Place, check: () => Promise<boolean>): Promise<false>;
}

/** What one look at the store has said of credentials. */
export interface Seen {
  readonly right: boolean;
  readonly hasFailures: boolean;
}

/**
 * Failures are counted when they are known, and a success asks whether there has been a lockout meanwhile: of guesses that come
 * at the same time, no more are answered than the threshold says, while many right logins at once do not get in each other's way.
 */
export function openLockout(store: Pick<Store, 'db'>, configured: LockoutRule): Lockout {
  const hasFailures = failuresFinder(store);
  return {
    async nobody({ mount, namespace }) {
      const rule = ruleOf(mount, configured);
      if (rule !== undefined) await countFailure(store, oneOfNobodies(namespace.id, mount.id), unreached(rule));
    },
    async guarded({ mount, namespace }, alias, isLocked, check) {
      const rule = ruleOf(mount, configured);
      if (rule === undefined) return check();
      const who = { namespaceId: namespace.id, mountId: mount.id, alias };
      if (isLocked) throw permissionDenied();
      const right = await check();
      if (right && !(await hasFailures(who))) return true;
      const answered = right ? await countSuccess(store, who) : await countFailure(store, who, rule);
      if (!answered) throw permissionDenied();
      return right;
    },
    async judged({ mount, namespace }, alias, { right, hasFailures }) {
      const rule = ruleOf(mount, configured);
      if (rule === undefined || (right && !hasFailures)) return right;
      const who = { namespaceId: namespace.id, mountId: mount.id, alias };
      const answered = right ? await countSuccess(store, who) : await countFailure(store, who, rule);
      if (!answered) throw permissionDenied();
      return right;
    },
    async unknown({ mount, namespace }, check) {
      const rule = ruleOf(mount, configured);
      const nobody = oneOfNobodies(namespace.id, mount.id);
      await check();
      if (rule !== undefined) await countFailure(store, nobody, unreached(rule));
      return false;
    },
  };
}

/** A few rows that no alias has, so that a guess at a name costs the same writes and none is ever locked. */
const oneOfNobodies = (namespaceId: string, mountId: string): Somebody => ({
  ...{ namespaceId, mountId, alias: `\u0001${randomInt(nobodies)}` },
});
const unreached = (rule: LockoutRule): LockoutRule => ({ ...rule, threshold: neverReached });

const nobodies = 64;
const neverReached = 2_147_483_647;

/** What holds unless the configuration says otherwise. */
export const usualLockout: LockoutRule = { threshold: 5, seconds: 900, resetSeconds: 900 };
