import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Fault } from '../../lib/destinations/fake.ts';

/** Names what a request asks for. */
export type NameOperation = (message: IncomingMessage) => { readonly operation: string; readonly writes: boolean };

/** Stands before an emulator: counts its calls by operation, and loses answers. */
export interface Relay {
  readonly port: number;
  readonly calls: ReadonlyMap<string, number>;
  /** Only faults of the connection; an emulator's own refusals are its own. */
  fail(fault: Fault): void;
  heal(): void;
  close(): Promise<void>;
}

const faultsKnown: readonly Fault['kind'][] = ['hang', 'reset', 'lost-answer'];

export async function openRelay(emulator: string, nameOperation: NameOperation): Promise<Relay> {
  const calls = new Map<string, number>();
  let fault: Fault | undefined;
  let left = 0;

  /** A lost answer is one to a call that writes: the others change nothing. */
  function take(writes: boolean): Fault['kind'] | undefined {
    if (fault === undefined || left <= 0 || (fault.kind === 'lost-answer' && !writes)) return undefined;
    left -= 1;
    return fault.kind;
  }

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { operation, writes } = nameOperation(incoming);
    calls.set(operation, (calls.get(operation) ?? 0) + 1);
    const body = await buffer(incoming);
    const kind = take(writes);
    if (kind === 'hang') return;
    if (kind === 'reset') return void incoming.socket.destroy();
    const answer = await forward(emulator, incoming, body);
    if (kind === 'lost-answer') return void incoming.socket.destroy();
    response.writeHead(answer.status, answer.headers).end(answer.body);
  }

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch(() => incoming.socket.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    calls,
    fail(next) {
      if (!faultsKnown.includes(next.kind)) throw new Error(`no emulator can be told to answer with ${next.kind}`);
      fault = next;
      left = next.times ?? Number.POSITIVE_INFINITY;
    },
    heal() {
      fault = undefined;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Answer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: Buffer;
}

function forward(emulator: string, { method, url = '/', headers }: IncomingMessage, body: Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(`${emulator}${url}`, { method, headers }, (answer) => {
      buffer(answer).then(
        (received) => resolve({ status: answer.statusCode ?? 502, headers: answer.headers, body: received }),
        reject,
      );
    });
    sent.once('error', reject).end(body);
  });
}
