import type { Decision } from '../../../auth/contract.ts';
import type { Parsed } from '../../../path/parse.ts';
import type { Caller, Reply } from '../../../path/row.ts';
import type { Match } from '../../../path/table.ts';
import { type Data, noData } from '../../wire/body/fields.ts';
import type { Ending } from '../../wire/connection/ending.ts';
import type { Incoming } from '../../wire/exchange.ts';
import type { Context } from '../request/context.ts';
import type { AskedHead } from '../request/request.ts';
import type { Target } from '../target.ts';

/** A request that could be read, with what its stages have found out so far. */
export class Exchange {
  readonly incoming: Incoming;
  readonly asked: AskedHead;
  readonly ending: Ending;
  /** Empty until a large body has been read, which is after `authenticate`. */
  data: Data = noData;
  /** The operation that answers in any state of the service; undefined: it is another one. */
  always: Match | undefined;
  /** From `address` on; undefined: the path leads nowhere. */
  target: Target | undefined;
  /** From `authenticate` on; undefined: nobody, where no token is needed. */
  caller: Caller | undefined;
  context: Context | undefined;
  /** From `authorise` on; undefined: nobody had to be asked. */
  decision: Decision | undefined;
  /** The operation's input; undefined: there is no such operation. */
  parsed: Parsed | undefined;
  /** The help that was asked for; undefined: none was, or there is none. */
  help: object | undefined;
  reply: Reply;
  /** Headers of the answer that stages have made. */
  headers: Readonly<Record<string, string>> | undefined;

  constructor(incoming: Incoming, asked: AskedHead, ending: Ending) {
    this.incoming = incoming;
    this.asked = asked;
    this.ending = ending;
  }
}
