import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { refuseDial } from '#network/connection/dial.ts';
import { guardedLookup } from '#network/connection/lookup.ts';
import type { NetworkPolicy } from '#network/policy.ts';
import { NotRecorded, type Outlet } from './outlet.ts';

/** The maximum size of a datagram. */
const bytesMax = 65_507;

/** Sends each line in its own datagram. Whether it arrives is unknown. */
export class DatagramOutlet implements Outlet {
  readonly single = true;
  readonly #host: string;
  readonly #port: number;
  readonly #policy: NetworkPolicy;

  constructor({ host, port }: { readonly host: string; readonly port: number }, policy: NetworkPolicy) {
    this.#host = host;
    this.#port = port;
    this.#policy = policy;
  }

  async write(lines: readonly string[]): Promise<void> {
    const datagrams = lines.map((line) => Buffer.from(line));
    if (datagrams.some(({ length }) => length > bytesMax)) throw new NotRecorded('a line is too long for a datagram');
    const refusal = refuseDial(this.#policy, { host: this.#host, port: this.#port });
    if (refusal !== undefined) throw refusal;
    const address = await this.#resolved();
    const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
    try {
      for (const datagram of datagrams) await sent(socket, datagram, this.#port, address);
    } finally {
      socket.close();
    }
  }

  async close(): Promise<void> {}

  #resolved(): Promise<string> {
    return new Promise((resolve, reject) => {
      guardedLookup(this.#policy, this.#port)(this.#host, {}, (error, address) => {
        if (error === null && typeof address === 'string') resolve(address);
        else reject(error ?? new NotRecorded('the name has no address'));
      });
    });
  }
}

const sent = (socket: ReturnType<typeof createSocket>, bytes: Buffer, port: number, address: string): Promise<void> =>
  new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.send(bytes, port, address, (error) => (error === null ? resolve() : reject(error)));
  });
