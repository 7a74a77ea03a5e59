import type { Clock } from '../../core/clock.ts';
import type { Engine } from '../../path/row.ts';
import type { Store } from '../../store/store.ts';
import { loginOperations } from '../token/login.ts';
import type { AuthMethod } from './contract.ts';

/** The methods as what can be mounted below `auth/`. */
export function openMethods(
  methods: readonly AuthMethod[],
  parts: { readonly store: Store; readonly clock: Clock },
): readonly Engine[] {
  const login = loginOperations(parts);
  return methods.map((method) => ({ ...method.open({ ...parts, login }), type: method.type }));
}
