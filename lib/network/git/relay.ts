import { createServer, type Server, type Socket } from 'node:net';
import { type Asked, Passing } from '../connection/passing.ts';
import { reach } from '../connection/reach.ts';
import type { NetworkPolicy } from '../policy.ts';

export interface RelayLimits {
  /** Deadline for name resolution and TCP together. */
  readonly connectMs: number;
  /** Received from all remotes together. */
  readonly bytesMax: number;
}

/** A listener on this machine through which one program reaches what the guard allows. */
export interface Relay {
  readonly port: number;
  /** Why the last connection failed, without secrets. */
  readonly failure: string | undefined;
  close(): void;
}

/** Connections of one program at the same time. */
const connectionsMax = 16;

/**
 * Listens on the loopback address. Every connection is passed on to the remote that `ask` names, which reads what it needs from the socket and leaves
 * the rest. The remote's address is checked when it is dialled, and the address that was checked is the one that is used, so that a name that changes
 * its address gains nothing.
 */
export async function openRelay(
  policy: NetworkPolicy,
  { connectMs, bytesMax }: RelayLimits,
  ask: (client: Socket) => Promise<Asked>,
): Promise<Relay> {
  const passing = new Passing({ connectionsMax, bytesMax });
  const server = createServer((client) => {
    if (!passing.admit(client)) return;
    ask(client)
      .then((asked) => passing.pass(client, asked, () => reach(policy, asked, connectMs)))
      .catch(() => client.destroy());
  });
  await listening(server);
  const { port } = server.address() as { readonly port: number };
  return {
    port,
    get failure() {
      return passing.failure;
    },
    close() {
      server.close();
      passing.end();
    },
  };
}

const listening = (server: Server): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
