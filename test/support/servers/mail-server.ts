import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { ending } from '../services.ts';

export interface Received {
  readonly to: readonly string[];
  readonly from: string;
  /** The raw message, headers first. */
  readonly raw: string;
}

/** A mail server on this machine that keeps what it receives. It refuses logins in clear text, and offers TLS only when told to. */
export async function startMailServer(options: SMTPServerOptions = {}) {
  const received: Received[] = [];
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    logger: false,
    async onData(stream, { envelope }, taken) {
      const raw = await text(stream);
      const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
      received.push({ to: envelope.rcptTo.map(({ address }) => address).toSorted(), from, raw });
      taken();
    },
    ...options,
  });
  server.on('error', () => {});
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.server.address() as AddressInfo;
  const close = async () => {
    for (const connection of server.connections) connection.close();
    await new Promise<void>((closed) => server.close(() => closed()));
  };
  return { received, port, close, url: `smtp://127.0.0.1:${port}` };
}

/** The same, closed when the test ends. */
export const mailServer = async (options: SMTPServerOptions = {}) => ending(await startMailServer(options));

/** A refusal with its code and a text that repeats what was sent. */
export const refusal = (responseCode: number, text: string): Error => Object.assign(new Error(text), { responseCode });
