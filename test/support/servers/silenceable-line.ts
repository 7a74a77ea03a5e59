import { connect, createServer, type Socket } from 'node:net';

/** A proxy to a server that can go silent without closing its connections. */
export interface SilenceableLine {
  readonly port: number;
  /** Drops every byte from now on. Resolves when the clients have closed all current connections. */
  silence(): Promise<void>;
  /** Passes bytes again. Dropped bytes are lost. */
  speak(): void;
  close(): Promise<void>;
}

export async function openSilenceableLine(serverPort: number): Promise<SilenceableLine> {
  let silent = false;
  const clients = new Set<Socket>();
  const line = createServer((client) => {
    clients.add(client);
    client.once('close', () => clients.delete(client));
    const server = connect(serverPort, '127.0.0.1');
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.on('data', (data) => silent || to.write(data));
      from.on('close', () => to.destroy());
      from.on('error', () => to.destroy());
    }
  });
  await new Promise<void>((resolve) => line.listen(0, '127.0.0.1', resolve));
  const address = line.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    async silence() {
      silent = true;
      await Promise.all([...clients].map((client) => new Promise((resolve) => client.once('close', resolve))));
    },
    speak: () => {
      silent = false;
    },
    close: () =>
      new Promise((resolve) => {
        line.close(() => resolve());
        for (const client of clients) client.destroy();
      }),
  };
}
