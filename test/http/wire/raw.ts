import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** One answer on a raw connection. */
export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** A client that sends exactly the given bytes. */
export interface RawClient {
  readonly socket: Socket;
  /** Sends bytes unchanged. */
  send(bytes: string | Buffer): Promise<void>;
  /** Sends one byte per packet. */
  drip(bytes: string): Promise<void>;
  /** The next answer, interim ones (1xx) included. */
  next(): Promise<RawAnswer>;
  ended(): Promise<void>;
  close(): void;
}

export async function rawClient(port: number, socket: Socket = connect(port, '127.0.0.1')): Promise<RawClient> {
  let received = '';
  let over = false;
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const go of waiting) go();
  };
  socket.setNoDelay(true);
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
    wake();
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    over = true;
    wake();
  });
  if (socket.connecting) await once(socket, 'connect');

  const until = async <T>(look: () => T | undefined): Promise<T> => {
    for (;;) {
      const found = look();
      if (found !== undefined) return found;
      if (over) throw new Error(`the connection ended; left over: ${JSON.stringify(received)}`);
      await new Promise<void>((resolve) => {
        const go = () => {
          waiting.delete(go);
          resolve();
        };
        waiting.add(go);
      });
    }
  };
  const send = (bytes: string | Buffer) =>
    new Promise<void>((resolve) => socket.write(bytes, 'latin1', () => resolve()));
  return {
    socket,
    send,
    async drip(bytes) {
      for (const byte of bytes) {
        await send(byte);
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
    next: () =>
      until(() => {
        const end = received.indexOf('\r\n\r\n');
        if (end < 0) return undefined;
        const head = received.slice(0, end);
        const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
        const whole = end + 4 + length;
        if (received.length < whole) return undefined;
        const body = received.slice(end + 4, whole);
        received = received.slice(whole);
        return { status: Number(head.slice(9, 12)), head, body };
      }),
    ended: () => until(() => (over ? true : undefined)).then(() => {}),
    close: () => socket.destroy(),
  };
}
