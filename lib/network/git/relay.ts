import { createServer, connect as dial, type Server, type Socket } from 'node:net';
import { BlockedConnection, blockedMessage } from '../blocked.ts';
import { limitConnect, refuseDial } from '../connection/dial.ts';
import { guardedLookup } from '../connection/lookup.ts';
import { codeOf } from '../connection/trace-end.ts';
import type { NetworkPolicy } from '../policy.ts';

export interface RelayLimits {
  /** Deadline for name resolution and TCP together. */
  readonly connectMs: number;
  /** Received from all remotes together. */
  readonly bytesMax: number;
}

/** The remote of one connection. */
export interface RemoteAddress {
  readonly host: string;
  readonly port: number;
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

/** What a new connection asks for. It reads what it needs from the socket and leaves the rest. */
export interface Asked extends RemoteAddress {
  /** Tells the program whether its remote was reached. */
  readonly answer?: (connected: boolean) => void;
}

/**
 * Listens on the loopback address. Every connection is passed on to the remote that `ask` names. The remote's address is checked when it is
 * dialled, and the address that was checked is the one that is used, so that a name that changes its address gains nothing.
 */
export async function openRelay(
  policy: NetworkPolicy,
  limits: RelayLimits,
  ask: (client: Socket) => Promise<Asked>,
): Promise<Relay> {
  const passing = new Passing(policy, limits);
  const server = createServer((client) => {
    passing.keep(client);
    if (passing.open.size > connectionsMax * 2) return void client.destroy();
    ask(client)
      .then((asked) => passing.pass(client, asked))
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

/** The open connections, and what they received together. */
class Passing {
  readonly open = new Set<Socket>();
  failure: string | undefined;
  readonly #policy: NetworkPolicy;
  readonly #limits: RelayLimits;
  #bytes = 0;

  constructor(policy: NetworkPolicy, limits: RelayLimits) {
    this.#policy = policy;
    this.#limits = limits;
  }

  keep(socket: Socket): void {
    this.open.add(socket);
    socket.on('error', () => {}).once('close', () => this.open.delete(socket));
  }

  pass(client: Socket, asked: Asked): void {
    const remote = dialRemote(this.#policy, asked, this.#limits.connectMs);
    if (remote instanceof BlockedConnection) return void this.#refuse(client, asked, remote);
    this.keep(remote);
    let isConnected = false;
    remote.once('error', (error) => this.#refuse(client, isConnected ? withoutAnswer(asked) : asked, error));
    remote.once('connect', () => {
      isConnected = true;
      asked.answer?.(true);
      client.pipe(remote);
      remote.pipe(client);
    });
    remote.on('data', ({ length }) => this.#count(length));
    client.once('close', () => remote.destroy());
  }

  end(): void {
    for (const one of this.open) one.destroy();
  }

  #refuse(client: Socket, { host, port, answer }: Asked, error: Error): void {
    this.failure = blockedMessage(error) ?? `no connection to ${host} port ${port}: ${codeOf(error)}`;
    answer?.(false);
    client.end();
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes <= this.#limits.bytesMax) return;
    this.failure = `the remote sent more than ${this.#limits.bytesMax} bytes`;
    this.end();
  }
}

/** The program got its answer already. */
const withoutAnswer = ({ host, port }: Asked): Asked => ({ host, port });

function dialRemote(
  policy: NetworkPolicy,
  { host, port }: RemoteAddress,
  connectMs: number,
): Socket | BlockedConnection {
  const refusal = refuseDial(policy, { host, port });
  if (refusal !== undefined) return refusal;
  const socket = dial({ host, port, lookup: guardedLookup(policy, port) });
  return limitConnect(socket, 'connect', { host, port }, connectMs);
}

const listening = (server: Server): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
