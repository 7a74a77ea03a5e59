import type { Decision } from '#auth/contract.ts';
import { rootNamespace } from '#core/namespace.ts';
import type { LocatedNamespace } from '#path/contract/mount.ts';
import type { AnyReply } from '#path/contract/reply.ts';
import type { Caller } from '#path/contract/request.ts';
import type { Parsed } from '#path/input/parse.ts';
import type { Match } from '#path/table.ts';
import { type Data, noData } from '../wire/body/fields.ts';
import type { Ending } from '../wire/connection/connection.ts';
import type { Incoming } from '../wire/exchange.ts';
import type { Target } from './engines.ts';
import type { Context } from './request/context.ts';
import type { ParsedHead } from './request/request.ts';

/** The outcome of a request: the reply, or what a stage threw. */
export type Outcome = { readonly reply: AnyReply } | { readonly error: unknown };

/** A request whose head has been parsed, and what its stages have found so far. */
export class Exchange {
  readonly incoming: Incoming;
  /** The head as sent. */
  readonly sent: ParsedHead;
  /** The head with its path relative to the namespace, from the stage `address` on. */
  asked: ParsedHead;
  /** Set by `address`. */
  namespace: LocatedNamespace = { ...rootNamespace, lockedBy: undefined, isEnding: false };
  readonly ending: Ending;
  /** Empty until a large body has been read, after `authenticate`. */
  data: Data = noData;
  /** The operation, if it works in any state of the service (sealed, uninitialised). */
  always: Match | undefined;
  /** Set by `address`; undefined when no mount holds the path. */
  target: Target | undefined;
  /** State of the mount table when the target was resolved; undefined when unknown. */
  tableState: object | undefined;
  /** Set by `authenticate`; undefined without a valid token, which some operations do not need. */
  caller: Caller | undefined;
  context: Context | undefined;
  /** Set by `authorise`; undefined when no decision was needed. */
  decision: Decision | undefined;
  /** Whether a write creates the resource. Undefined when the decision did not depend on it. */
  creates?: boolean;
  /** The operation's input; undefined when the path has no such operation. */
  parsed: Parsed | undefined;
  /** The requested help; undefined when none was requested or none exists. */
  help: object | undefined;
  reply: AnyReply;
  /** Headers that stages add to the answer. */
  headers: Readonly<Record<string, string>> | undefined;

  constructor(incoming: Incoming, asked: ParsedHead, ending: Ending) {
    this.incoming = incoming;
    this.sent = asked;
    this.asked = asked;
    this.ending = ending;
  }
}
