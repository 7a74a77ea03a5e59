import type { Mount } from '#path/contract/mount.ts';
import type { ReplyContent } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import type { FactsHolder } from '../../policy/store/facts.ts';
import type { Claim } from '../../token/issue/issue.ts';

/** A login before its token is made. */
export interface LoginToHold {
  readonly context: Pick<RequestContext, 'namespace' | 'headers'> & {
    readonly mount: Pick<Mount, 'id' | 'accessor' | 'type'>;
  };
  readonly entity: FactsHolder;
  /** The name of the user or role at the mount. Deleting it ends the login. */
  readonly principal: string;
  /** What the token will be made of. It is stored sealed. */
  readonly text: () => string;
}

/**
 * Asks for a second factor where an enforcement requires one. Undefined when the token can be made at once; otherwise the reply
 * that names the codes which the login has to send.
 *
 * @throws AppError `permission-denied` when codes came with the login and are incorrect
 */
export type HoldLogin = (login: LoginToHold) => Promise<ReplyContent | undefined>;

/**
 * Makes the token of a held login from its text. `claim` runs in the transaction that writes the token; an error leaves the login
 * pending.
 */
export type FinishLogin = (text: string, claim: Claim) => Promise<ReplyContent>;
