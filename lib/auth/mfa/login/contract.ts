import type { Transaction } from 'kysely';
import type { Mount } from '../../../path/contract/mount.ts';
import type { ReplyContent } from '../../../path/contract/reply.ts';
import type { RequestContext } from '../../../path/contract/request.ts';
import type { Database } from '../../../store/tables.ts';
import type { FactsHolder } from '../../identity/facts/open.ts';

/** A login before its token is made. */
export interface LoginToHold {
  readonly context: Pick<RequestContext, 'namespace' | 'headers'> & {
    readonly mount: Pick<Mount, 'id' | 'accessor' | 'type'>;
  };
  readonly entity: FactsHolder;
  /** The user or role that it is of, by its name at the mount: the login ends with it. */
  readonly principal: string;
  /** What the token is made of, as text. It is kept sealed. */
  readonly text: () => string;
}

/**
 * Asks for a second factor where an enforcement wants one. Undefined: the token may be made. A reply: the login waits for
 * its codes, and the reply says for which.
 *
 * @throws AppError `permission-denied` when codes came with the login and are not right
 */
export type HoldLogin = (login: LoginToHold) => Promise<ReplyContent | undefined>;

/**
 * Makes the token of a login that was held, from its text. `claim` runs in the transaction that writes the token: what it throws
 * leaves the login as it was.
 */
export type FinishLogin = (text: string, claim: Claim) => Promise<ReplyContent>;

export type Claim = (tx: Transaction<Database>) => Promise<void>;
