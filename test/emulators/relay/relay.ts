import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { buffer } from 'node:stream/consumers';
import type { CallLimit, Fault } from '#destinations/fake.ts';
import { type Answer, forward, type Upstream } from './forward.ts';

/** Names the operation of a request. A `spared` one meets no fault, such as a request that only asks how to log in. */
export type NameOperation = (message: IncomingMessage) => {
  readonly operation: string;
  readonly writes: boolean;
  readonly spared?: boolean;
};

export interface Way {
  readonly upstream: Upstream;
  readonly nameOperation: NameOperation;
  /** PEM of the relay's certificate, for drivers that require https. */
  readonly own?: { readonly cert: string; readonly key: string };
  /** Path and query in the form of the emulator. Changes must be listed in the trial's `adapted`. */
  readonly adaptPath?: (path: string) => string;
  /** Converts the answer to the form of the real system. */
  readonly adaptAnswer?: (answer: Answer, message: IncomingMessage) => Answer;
}

/** A proxy before an emulator, which counts its calls by operation and loses answers. */
export interface Relay {
  readonly port: number;
  readonly calls: ReadonlyMap<string, number>;
  /** Only faults of the connection; refusals must come from the emulator. */
  fail(fault: Fault): void;
  heal(): void;
  /** An emulator has no limit. */
  limit(limit: CallLimit): void;
  close(): Promise<void>;
}

const faultsKnown: readonly Fault['kind'][] = ['hang', 'reset', 'lost-answer'];
const asItIs = <T>(thing: T): T => thing;

export async function openRelay(way: Way): Promise<Relay> {
  const { upstream, nameOperation, own, adaptPath = asItIs, adaptAnswer = asItIs } = way;
  const calls = new Map<string, number>();
  let fault: Fault | undefined;
  let left = 0;

  /** Only answers to writes are lost, since other calls change nothing. */
  function take({ writes, spared }: ReturnType<NameOperation>): Fault['kind'] | undefined {
    if (fault === undefined || left <= 0 || spared === true) return undefined;
    if (fault.kind === 'lost-answer' && !writes) return undefined;
    left -= 1;
    return fault.kind;
  }

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const named = nameOperation(incoming);
    calls.set(named.operation, (calls.get(named.operation) ?? 0) + 1);
    const body = await buffer(incoming);
    const kind = take(named);
    if (kind === 'hang') return;
    if (kind === 'reset') return void incoming.socket.destroy();
    const { method = 'GET', url = '/', headers } = incoming;
    const answer = adaptAnswer(await forward(upstream, { method, path: adaptPath(url), headers, body }), incoming);
    if (kind === 'lost-answer') return void incoming.socket.destroy();
    response.writeHead(answer.status, answer.headers).end(answer.body);
  }

  const listener = (incoming: IncomingMessage, response: ServerResponse) => {
    handle(incoming, response).catch(() => incoming.socket.destroy());
  };
  const server = own === undefined ? createServer(listener) : createSecureServer({ ...own }, listener);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    calls,
    fail(next) {
      if (!faultsKnown.includes(next.kind)) throw new Error(`an emulator cannot be made to answer with ${next.kind}`);
      fault = next;
      left = next.times ?? Number.POSITIVE_INFINITY;
    },
    heal() {
      fault = undefined;
    },
    limit() {
      throw new Error('an emulator has no limit of calls');
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
