import { connect, type Socket } from 'node:net';
import { refuseDial } from '#network/connection/dial.ts';
import { guardedLookup } from '#network/connection/lookup.ts';
import type { NetworkPolicy } from '#network/policy.ts';
import type { Outlet } from './outlet.ts';

/** A host and port, or the path of a Unix socket. */
export type StreamAddress = { readonly host: string; readonly port: number } | { readonly path: string };

/** Sends lines over a connection that stays open. After a failure the next lines open another one. */
export class StreamOutlet implements Outlet {
  readonly #address: StreamAddress;
  readonly #policy: NetworkPolicy;
  #socket: Socket | undefined;

  constructor(address: StreamAddress, policy: NetworkPolicy) {
    this.#address = address;
    this.#policy = policy;
  }

  async write(lines: readonly string[], limitMs: number): Promise<void> {
    const signal = AbortSignal.timeout(limitMs);
    const socket = this.#socket ?? (await this.#connected(signal));
    await send(socket, lines.join(''), signal);
  }

  async close(): Promise<void> {
    this.#socket?.destroySoon();
    this.#socket = undefined;
  }

  #connected(signal: AbortSignal): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const address = this.#address;
      const refusal = 'path' in address ? undefined : refuseDial(this.#policy, address);
      if (refusal !== undefined) return reject(refusal);
      const socket = connect(
        'path' in address ? address : { ...address, lookup: guardedLookup(this.#policy, address.port) },
      );
      const giveUp = () => socket.destroy(new Error('no connection in time'));
      signal.addEventListener('abort', giveUp, { once: true });
      // Received data is discarded; it must be read for the end of the connection to be noticed.
      socket.resume();
      socket.once('error', reject);
      socket.on('error', () => {});
      socket.once('close', () => {
        signal.removeEventListener('abort', giveUp);
        if (this.#socket === socket) this.#socket = undefined;
      });
      socket.once('connect', () => {
        signal.removeEventListener('abort', giveUp);
        socket.unref();
        this.#socket = socket;
        resolve(socket);
      });
    });
  }
}

/** Resolves when the operating system has accepted the text. */
function send(socket: Socket, text: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = new Error('not accepted in time');
    const giveUp = () => socket.destroy(late);
    signal.addEventListener('abort', giveUp, { once: true });
    socket.write(text, (error) => {
      signal.removeEventListener('abort', giveUp);
      if (error == null) return resolve();
      socket.destroy();
      // An aborted write fails with another error, such as ECANCELED.
      reject(signal.aborted ? late : error);
    });
  });
}
