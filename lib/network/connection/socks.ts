import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Asked } from './passing.ts';

/** What keeps other programs of the machine away. */
export interface SocksCredential {
  readonly user: string;
  readonly password: string;
}

const greetMsMax = 10_000;
/** Methods of authentication. */
const [withoutLogin, byPassword] = [0, 2];

/**
 * Reads what a client of SOCKS5 asks for (RFC 1928 and 1929, the command CONNECT). A client that does not ask in time is closed.
 *
 * @throws Error when it says anything else, or does not know the credential
 */
export async function greet(client: Socket, credential?: SocksCredential): Promise<Asked> {
  const gone = new AbortController();
  const timer = setTimeout(() => client.destroy(), greetMsMax);
  const end = () => gone.abort();
  client.once('close', end);
  const take = (bytes: number) => read(client, bytes, gone.signal);
  try {
    const [version, methods = 0] = await take(2);
    const offered = await take(methods);
    const method = credential === undefined ? withoutLogin : byPassword;
    if (version !== 5 || !offered.includes(method)) throw refused();
    client.write(Buffer.from([5, method]));
    if (credential !== undefined) {
      await mustKnow(take, credential);
      client.write(Buffer.from([1, 0]));
    }
    const asked = await remoteIn(take);
    return { ...asked, answer: (failure) => void client.write(replyOf(failure === undefined)) };
  } finally {
    clearTimeout(timer);
    client.off('close', end);
  }
}

type Take = (bytes: number) => Promise<Buffer>;

const refused = () => new Error('the proxy refused the connection');

async function mustKnow(take: Take, { user, password }: SocksCredential): Promise<void> {
  const [, nameBytes = 0] = await take(2);
  const name = await take(nameBytes);
  const [passwordBytes = 0] = await take(1);
  const given = await take(passwordBytes);
  const right = Buffer.from(password);
  if (name.toString() !== user || given.length !== right.length || !timingSafeEqual(given, right)) throw refused();
}

async function remoteIn(take: Take): Promise<Asked> {
  const [version, command, , kind] = await take(4);
  if (version !== 5 || command !== 1) throw refused();
  const host = await hostIn(take, kind);
  return { host, port: (await take(2)).readUInt16BE(0) };
}

async function hostIn(take: Take, kind: number | undefined): Promise<string> {
  if (kind === 1) return [...(await take(4))].join('.');
  if (kind === 3) return (await take((await take(1))[0] ?? 0)).toString('latin1');
  if (kind !== 4) throw refused();
  return ((await take(16)).toString('hex').match(/.{4}/g) ?? []).join(':');
}

const replyOf = (connected: boolean): Buffer => Buffer.from([5, connected ? 0 : 5, 0, 1, 0, 0, 0, 0, 0, 0]);

/** @throws Error when the client ends before it has sent them */
async function read(client: Socket, bytes: number, signal: AbortSignal): Promise<Buffer> {
  if (bytes === 0) return Buffer.alloc(0);
  for (;;) {
    const piece = client.read(bytes) as Buffer | null;
    if (piece !== null && piece.length === bytes) return piece;
    if (piece !== null || client.readableEnded || client.destroyed) throw refused();
    await once(client, 'readable', { signal });
  }
}
