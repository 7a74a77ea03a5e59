import { isStorable } from '#core/json/unstorable.ts';
import type { Barrier } from '#store/store.ts';

/** The keys under which failed logins with a name are counted. */
export interface LoginName {
  readonly mountId: string;
  /** The key of an existing user or role. Empty for a text that cannot be stored, which no user or role has. */
  readonly known: string;
  /** The key of a name that does not exist, hashed since a user may have typed a password there. */
  readonly unknown: string;
  /** The names of a mount are distributed over parts. */
  readonly part: number;
  /** The key of the row that records that the part has had too many names. */
  readonly flood: string;
}

const parts = 64;

/** Keys that are not the name of a user or role start with this character. */
export const generatedMark = '\u0001';

/** Takes the same time whether the name exists or not. */
export function loginName(barrier: Pick<Barrier, 'mac'>, mountId: string, name: string): LoginName {
  const mac = barrier.mac('login-name', `${mountId}/${name}`);
  const part = (mac[0] ?? 0) % parts;
  return {
    mountId,
    known: isStorable(name) ? name : '',
    unknown: `${generatedMark}${mac.toString('base64url')}`,
    part,
    flood: `${generatedMark}${part}`,
  };
}
