import { connect, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import type pg from 'pg';
import { cancelKeyOf } from './look.ts';

/** Codes of CancelRequest and SSLRequest (PostgreSQL protocol, "Message Formats"). */
const [cancelCode, tlsCode] = [80_877_102, 80_877_103];
const msMax = 3_000;

/**
 * Asks the server to cancel the statement that this connection runs. The protocol demands a separate connection for that; a pooler
 * forwards the request. The only answer is that the other side closes the connection, and a pooler drops the request if we close
 * first. Never rejects: if the request is lost, the query timeout of the client ends the statement.
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

/** The TLS options that the connection was opened with; `ssl` may also be `true`. */
function tlsOf({ ssl }: { readonly ssl: unknown }): ConnectionOptions | undefined {
  if (typeof ssl !== 'object' || ssl === null) return ssl === true ? {} : undefined;
  // `pg` makes `key` non-enumerable to keep it out of logs, so the spread misses it.
  return { ...ssl, ...('key' in ssl && typeof ssl.key === 'string' ? { key: ssl.key } : {}) };
}

/** TLS starts with the first byte, without an SSLRequest. */
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
