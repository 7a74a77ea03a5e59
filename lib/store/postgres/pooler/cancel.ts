import { connect, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import type pg from 'pg';
import { cancelKeyOf } from './look.ts';

/** From the protocol of PostgreSQL: "Message Formats", CancelRequest and SSLRequest. */
const [cancelCode, tlsCode] = [80_877_102, 80_877_103];
const msMax = 3_000;

/**
 * Asks the server to end the statement that this connection runs, by a connection of its own as the protocol has it; a pooler passes it on.
 * Nothing answers such a request but that the other side closes
 * the connection; a pooler forgets it if we do so first. Never rejects: one that is lost leaves the statement to the limit of waiting for its answer.
 */
export async function cancel(client: pg.Client): Promise<void> {
  const key = cancelKeyOf(client);
  if (key === undefined) return;
  const socket = client.host.startsWith('/')
    ? connect(`${client.host}/.s.PGSQL.${client.port}`)
    : connect(client.port, client.host);
  socket.setTimeout(msMax, () => socket.destroy());
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.on('error', () => {});
  socket.once('connect', () => {
    const request = message(cancelCode, key.processId, key.secret);
    const tls = tlsOf(client);
    if (tls === undefined) socket.write(request);
    else if (isDirect(client)) writeInTls(socket, { ...tls, ALPNProtocols: ['postgresql'] }, client.host, request);
    else askForTls(socket, () => writeInTls(socket, tls, client.host, request));
  });
  await ended;
}

/** What the connection was opened with: `true`, or the options of its TLS. */
function tlsOf({ ssl }: { readonly ssl: unknown }): ConnectionOptions | undefined {
  if (typeof ssl !== 'object' || ssl === null) return ssl === true ? {} : undefined;
  // `key` is hidden from listings, so that it is in no log.
  return { ...ssl, ...('key' in ssl && typeof ssl.key === 'string' ? { key: ssl.key } : {}) };
}

/** TLS from the first byte on, without asking for it. */
const isDirect = ({ connection }: pg.Client): boolean =>
  'sslNegotiation' in connection && connection.sslNegotiation === 'direct';

function askForTls(socket: Socket, granted: () => void): void {
  socket.write(message(tlsCode));
  socket.once('data', (answer) => (answer.toString('latin1') === 'S' ? granted() : socket.destroy()));
}

function writeInTls(socket: Socket, options: ConnectionOptions, host: string, request: Buffer): void {
  const name = isIP(host) === 0 ? { servername: host } : {};
  const secured = connectTls({ ...name, host, ...options, socket }, () => secured.write(request));
  secured.on('error', () => socket.destroy());
}

function message(...numbers: readonly number[]): Buffer {
  const buffer = Buffer.alloc(4 + 4 * numbers.length);
  for (const [index, number] of [buffer.length, ...numbers].entries()) buffer.writeInt32BE(number, 4 * index);
  return buffer;
}
