import { isStorable } from '../../store/postgres/storable.ts';
import type { Barrier } from '../../store/store.ts';

/** Where failed logins with a name are counted. */
export interface LoginName {
  readonly mountId: string;
  /** Of a user or role that exists. A text that cannot be stored belongs to none. */
  readonly known: string;
  /** Of a name that no user or role has. It hides what was typed there, which may be a password. */
  readonly unknown: string;
  /** The names of a mount are spread over parts. */
  readonly part: number;
  /** Of the row that says that the part has had more names than it holds. */
  readonly flood: string;
}

const parts = 64;

/** Aliases that no user or role has start with this character. */
export const ownMark = '\u0001';

/** Costs the same for every name, whether it exists or not. */
export function loginName(barrier: Pick<Barrier, 'mac'>, mountId: string, name: string): LoginName {
  const mac = barrier.mac('login-name', `${mountId}/${name}`);
  const part = (mac[0] ?? 0) % parts;
  return {
    mountId,
    known: isStorable(name) ? name : '',
    unknown: `${ownMark}${mac.toString('base64url')}`,
    part,
    flood: `${ownMark}${part}`,
  };
}
