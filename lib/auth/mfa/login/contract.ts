import type { Mount } from '../../../path/contract/mount.ts';
import type { ReplyContent } from '../../../path/contract/reply.ts';
import type { RequestContext } from '../../../path/contract/request.ts';
import type { FactsHolder } from '../../identity/facts/open.ts';

/** A login before its token is made. */
export interface LoginToHold {
  readonly context: Pick<RequestContext, 'namespace' | 'headers'> & {
    readonly mount: Pick<Mount, 'id' | 'accessor' | 'type'>;
  };
  readonly entity: FactsHolder;
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

/** Makes the token of a login that was held, from its text. */
export type FinishLogin = (text: string) => Promise<ReplyContent>;
