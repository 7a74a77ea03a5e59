import type { Engine } from '#path/contract/engine.ts';
import type { Store } from '#store/store.ts';
import type { AuthMethod, MethodParts } from './contract.ts';

/** The methods as engines that can be mounted below `auth/`, one for each of their names. */
export const openMethods = (methods: readonly AuthMethod[], parts: MethodParts): readonly Engine[] =>
  methods.flatMap((method) => {
    const opened = method.open(parts);
    return typesOf(method).map((type) => ({ ...opened, type }));
  });

/** The types that clients can enable, and how their mounts are emptied. */
export const enabledMethods = (methods: readonly AuthMethod[]) =>
  methods.flatMap((method) => (method.fixed ? [] : typesOf(method).map((type) => ({ ...method, type, names: [] }))));

const typesOf = ({ type, names = [] }: AuthMethod): readonly string[] => [type, ...names];

/** Removes what has expired in all methods, at most `limit` things of each. Returns their number. */
export async function expireLogins(methods: readonly AuthMethod[], store: Store, limit: number): Promise<number> {
  let removed = 0;
  for (const { expire } of methods) removed += (await expire?.(store, limit)) ?? 0;
  return removed;
}
