import type { Socket } from 'node:net';
import { blockedMessage } from '../blocked.ts';
import type { RemoteAddress } from './reach.ts';
import { codeOf } from './trace-end.ts';

/** What a new connection asks for. */
export interface Asked extends RemoteAddress {
  /** Tells the program whether its remote was reached; undefined: it was. */
  readonly answer?: (failure: Error | undefined) => void;
}

export interface PassingLimits {
  /** Connections of programs at the same time. */
  readonly connectionsMax: number;
  /** Received from all remotes together. */
  readonly bytesMax?: number;
  /** How long a connection may be silent. */
  readonly idleMs?: number;
}

/** Connections of a program that are passed on to remotes, which end together. */
export class Passing {
  /** Why the last connection failed, without secrets. */
  failure: string | undefined;
  readonly #open = new Set<Socket>();
  readonly #limits: PassingLimits;
  readonly #clients = new Set<Socket>();
  #bytes = 0;

  constructor(limits: PassingLimits) {
    this.#limits = limits;
  }

  /** Counts a connection of the program. @returns whether it may stay; else it was closed */
  admit(client: Socket): boolean {
    client.on('error', () => {});
    if (this.#clients.size >= this.#limits.connectionsMax) {
      client.destroy();
      return false;
    }
    // A program that has said all may still wait for the answer.
    client.allowHalfOpen = true;
    this.#clients.add(client);
    client.once('close', () => this.#clients.delete(client));
    this.#keep(client);
    return true;
  }

  /** Joins a connection of the program to its remote. It never rejects. */
  async pass(client: Socket, asked: Asked, reach: () => Promise<Socket>): Promise<void> {
    try {
      const remote = await reach();
      this.#keep(remote);
      if (client.destroyed) return void remote.destroy();
      this.#join(client, remote, asked);
    } catch (error) {
      this.#fail(asked, error as Error);
      asked.answer?.(error as Error);
      client.end();
    }
  }

  end(): void {
    for (const one of this.#open) one.destroy();
  }

  #join(client: Socket, remote: Socket, asked: Asked): void {
    remote.once('error', (error) => this.#fail(asked, error));
    remote.once('close', () => client.destroySoon());
    client.once('close', () => remote.destroy());
    remote.on('data', ({ length }) => this.#count(length));
    asked.answer?.(undefined);
    client.pipe(remote);
    remote.pipe(client);
  }

  #keep(socket: Socket): void {
    this.#open.add(socket);
    socket.on('error', () => {}).once('close', () => this.#open.delete(socket));
    if (this.#limits.idleMs !== undefined) socket.setTimeout(this.#limits.idleMs, () => socket.destroy());
  }

  #fail({ host, port }: RemoteAddress, error: Error): void {
    this.failure = blockedMessage(error) ?? `no connection to ${host} port ${port}: ${codeOf(error)}`;
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    const { bytesMax } = this.#limits;
    if (bytesMax === undefined || this.#bytes <= bytesMax) return;
    this.failure = `the remote sent more than ${bytesMax} bytes`;
    this.end();
  }
}
