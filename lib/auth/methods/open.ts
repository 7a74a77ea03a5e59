import type { Engine } from '../../path/contract/engine.ts';
import type { Store } from '../../store/store.ts';
import { openLockout, usualLockout } from '../lockout/lockout.ts';
import type { LockoutRule } from '../lockout/settings.ts';
import { publicRemote } from '../login/remote/remote.ts';
import { loginOperations } from '../token/login.ts';
import type { AuthMethod, OpenParts } from './contract.ts';

/** The methods as what can be mounted below `auth/`, once for each name. */
export function openMethods(
  methods: readonly AuthMethod[],
  parts: OpenParts,
  lockoutRule: LockoutRule = usualLockout,
): readonly Engine[] {
  const { remote = publicRemote(), localAccountDir = usualAccountDir } = parts;
  const [login, lockout] = [loginOperations(parts), openLockout(parts.store, lockoutRule)];
  const methodParts = { ...parts, remote, localAccountDir, login, lockout };
  return methods.flatMap((method) => {
    const opened = method.open(methodParts);
    return typesOf(method).map((type) => ({ ...opened, type }));
  });
}

/** The types that can be enabled, and how their mounts are emptied. */
export const enabledMethods = (methods: readonly AuthMethod[]) =>
  methods.flatMap((method) => (method.fixed ? [] : typesOf(method).map((type) => ({ ...method, type, names: [] }))));

const typesOf = ({ type, names = [] }: AuthMethod): readonly string[] => [type, ...names];

/** Removes what has expired of all methods, at most `limit` of each. */
export async function expireLogins(methods: readonly AuthMethod[], store: Store, limit: number): Promise<number> {
  let removed = 0;
  for (const { expire } of methods) removed += (await expire?.(store, limit)) ?? 0;
  return removed;
}

const usualAccountDir = '/var/run/secrets/kubernetes.io/serviceaccount';
