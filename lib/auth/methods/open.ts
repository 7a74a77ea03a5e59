import type { Engine } from '../../path/row.ts';
import { loginOperations } from '../token/login.ts';
import type { TokenParts } from '../token/parts.ts';
import type { AuthMethod } from './contract.ts';

/** The methods as what can be mounted below `auth/`. */
export function openMethods(methods: readonly AuthMethod[], parts: TokenParts): readonly Engine[] {
  const login = loginOperations(parts);
  return methods.map((method) => ({ ...method.open({ ...parts, login }), type: method.type }));
}
