import type { Decision } from '../../../auth/contract.ts';
import { rootNamespace } from '../../../core/namespace.ts';
import type { LocatedNamespace } from '../../../path/contract/mount.ts';
import type { Reply } from '../../../path/contract/reply.ts';
import type { Caller } from '../../../path/contract/request.ts';
import type { Parsed } from '../../../path/input/parse.ts';
import type { Match } from '../../../path/table.ts';
import { type Data, noData } from '../../wire/body/fields.ts';
import type { Ending } from '../../wire/connection/connection.ts';
import type { Incoming } from '../../wire/exchange.ts';
import type { Target } from '../engines.ts';
import type { Context } from '../request/context.ts';
import type { AskedHead } from '../request/request.ts';

/**
 * The stages of a request in their order, and the only list of it. A request goes through the first ones until one of them
 * refuses it or `run` has given the reply; what came of it then goes through the others.
 */
export const stageOrder = {
  before: ['address', 'authenticate', 'authorise', 'audit-request', 'run'],
  after: ['lease', 'wrap', 'audit-reply'],
} as const;

/** A step of every request. Several may have one name; those of the pipeline itself come first there. */
export type Stage = StageBefore | StageAfter;

export interface StageBefore {
  readonly at: (typeof stageOrder.before)[number];
  /** What it throws refuses the request: no later stage of this kind begins. */
  readonly before: (exchange: Exchange) => Promise<void> | void;
}

export interface StageAfter {
  readonly at: (typeof stageOrder.after)[number];
  /** Absent: every request does. A request that concerns no stage costs nothing here. */
  readonly concerns?: (exchange: Exchange) => boolean;
  /**
   * Sees what came of every request that could be read, refusals included, and answers what is to come of it. What it throws
   * becomes the outcome.
   */
  readonly after: (exchange: Exchange, outcome: Outcome) => Promise<Outcome> | Outcome;
}

/** What came of a request: the reply, or what a stage has thrown. */
export type Outcome = { readonly reply: Reply } | { readonly error: unknown };

/** Stages by when they run. */
export interface StagePlan {
  /** What is done before a large body is read: all that needs no more than the head. */
  readonly admission: readonly StageBefore[];
  /** What is done when the data is there. */
  readonly answering: readonly StageBefore[];
  /** Both, for requests without a large body. */
  readonly whole: readonly StageBefore[];
  readonly after: readonly StageAfter[];
}

const answeringFrom = stageOrder.before.indexOf('authorise');

/** The plan of these stages: by the order of their names, and as they are given where they share one. */
export function planStages(stages: readonly Stage[]): StagePlan {
  const at = (id: Stage['at']) => stages.filter((stage) => stage.at === id);
  const before = (ids: readonly StageBefore['at'][]) => ids.flatMap(at).filter((stage) => 'before' in stage);
  return {
    admission: before(stageOrder.before.slice(0, answeringFrom)),
    answering: before(stageOrder.before.slice(answeringFrom)),
    whole: before(stageOrder.before),
    after: stageOrder.after.flatMap(at).filter((stage) => 'after' in stage),
  };
}

/** A stage that does not wait costs no turn of the event loop. */
export async function runBefore(stages: readonly StageBefore[], exchange: Exchange): Promise<void> {
  for (const stage of stages) {
    const pending = stage.before(exchange);
    if (pending !== undefined) await pending;
  }
}

/** Never rejects. */
export async function runAfter(stages: readonly StageAfter[], exchange: Exchange, outcome: Outcome): Promise<Outcome> {
  let current = outcome;
  for (const stage of stages) {
    if (stage.concerns?.(exchange) === false) continue;
    try {
      current = await stage.after(exchange, current);
    } catch (error) {
      current = { error };
    }
  }
  return current;
}

/** A request that could be read, with what its stages have found out so far. */
export class Exchange {
  readonly incoming: Incoming;
  /** As the head was read. */
  readonly sent: AskedHead;
  /** From `address` on below the namespace. */
  asked: AskedHead;
  /** From `address` on. */
  namespace: LocatedNamespace = { ...rootNamespace, lockedBy: undefined, isEnding: false };
  readonly ending: Ending;
  /** Empty until a large body has been read, which is after `authenticate`. */
  data: Data = noData;
  /** The operation that answers in any state of the service; undefined: it is another one. */
  always: Match | undefined;
  /** From `address` on; undefined: the path leads nowhere. */
  target: Target | undefined;
  /** The state of the mount table that led there; undefined: it is not known. */
  aimedBy: object | undefined;
  /** From `authenticate` on; undefined: nobody, where no token is needed. */
  caller: Caller | undefined;
  context: Context | undefined;
  /** From `authorise` on; undefined: nobody had to be asked. */
  decision: Decision | undefined;
  /** A write makes what was not there. Undefined: the decision did not depend on it, so nobody looked. */
  creates?: boolean;
  /** The operation's input; undefined: there is no such operation. */
  parsed: Parsed | undefined;
  /** The help that was asked for; undefined: none was, or there is none. */
  help: object | undefined;
  reply: Reply;
  /** Headers of the answer that stages have made. */
  headers: Readonly<Record<string, string>> | undefined;

  constructor(incoming: Incoming, asked: AskedHead, ending: Ending) {
    this.incoming = incoming;
    this.sent = asked;
    this.asked = asked;
    this.ending = ending;
  }
}
