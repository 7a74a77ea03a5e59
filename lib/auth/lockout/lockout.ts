import { randomInt } from 'node:crypto';
import { permissionDenied } from '../../core/errors.ts';
import type { RequestContext } from '../../path/row.ts';
import type { Store } from '../../store/store.ts';
import { type LockoutRule, ruleOf } from './settings.ts';
import { countFailure, countSuccess, isLocked } from './store.ts';

/** Where a login happens. */
type Place = Pick<RequestContext, 'mount' | 'namespace'>;

/** Keeps who guesses out for a while. All processes share the counts. */
export interface Lockout {
  /**
   * Looks at the credentials of somebody who exists, unless he is locked out.
   *
   * @param check whether they are right
   * @throws AppError `permission-denied` when he is locked out, or has been when the credentials had been looked at
   */
  guarded(place: Place, alias: string, check: () => Promise<boolean>): Promise<boolean>;
  /** Takes as long for somebody who does not exist, and counts nothing. `check` finds the credentials wrong. */
  unknown(place: Place, check: () => Promise<boolean>): Promise<false>;
}

/**
 * Failures are counted when they are known, and a success asks whether there has been a lockout meanwhile: of guesses that come
 * at the same time, no more are answered than the threshold says, while many right logins at once do not get in each other's way.
 */
export const openLockout = (store: Pick<Store, 'db'>, configured: LockoutRule): Lockout => ({
  async guarded({ mount, namespace }, alias, check) {
    const rule = ruleOf(mount, configured);
    if (rule === undefined) return check();
    const who = { namespaceId: namespace.id, mountId: mount.id, alias };
    if (await isLocked(store, who)) throw permissionDenied();
    const right = await check();
    const answered = right ? await countSuccess(store, who) : await countFailure(store, who, rule);
    if (!answered) throw permissionDenied();
    return right;
  },
  async unknown({ mount, namespace }, check) {
    const rule = ruleOf(mount, configured);
    // A few rows that no alias has, so that a guess at a name costs the same writes and none is ever locked.
    const nobody = { namespaceId: namespace.id, mountId: mount.id, alias: `\u0001${randomInt(nobodies)}` };
    if (rule !== undefined) await isLocked(store, nobody);
    await check();
    if (rule !== undefined) await countFailure(store, nobody, { ...rule, threshold: neverReached });
    return false;
  },
});

const nobodies = 64;
const neverReached = 2_147_483_647;

/** What holds unless the configuration says otherwise. */
export const usualLockout: LockoutRule = { threshold: 5, seconds: 900, resetSeconds: 900 };
