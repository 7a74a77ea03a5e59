import type { Caller } from '../../../path/contract/request.ts';
import type { FindToken } from './find.ts';
import type { TokenRow } from './store.ts';

const admittedBy = Symbol('the row of the token that let the caller in');

/** A caller who remembers the row of the token that let it in. */
export const admitted = (caller: Caller, row: TokenRow): Caller => Object.assign(caller, { [admittedBy]: row });

/** The own token of a caller. A use that was counted since has changed the row of one with limited uses. */
export async function findAdmitted(caller: Caller, find: FindToken): Promise<TokenRow | undefined> {
  const row: TokenRow | undefined = Reflect.get(caller, admittedBy);
  return row?.num_uses === 0 ? row : find(caller.token);
}
