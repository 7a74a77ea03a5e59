import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { NetworkPolicy } from '../policy.ts';
import { type Asked, openRelay, type Relay, type RelayLimits } from './relay.ts';

/** A SOCKS5 proxy for one program, as curl expects it: `socks5h`, which leaves the resolution of names to the proxy. */
export interface SocksProxy extends Relay {
  /** With the password that keeps other programs of the machine away. */
  readonly url: string;
}

const greetMsMax = 10_000;
const user = 'git';

/** RFC 1928 and 1929: version 5, authentication by name and password, the command CONNECT. */
export async function openSocksProxy(policy: NetworkPolicy, limits: RelayLimits): Promise<SocksProxy> {
  const password = randomBytes(24).toString('hex');
  const relay = await openRelay(policy, limits, (client) => greet(client, password));
  return {
    port: relay.port,
    url: `socks5h://${user}:${password}@127.0.0.1:${relay.port}`,
    get failure() {
      return relay.failure;
    },
    close: () => relay.close(),
  };
}

async function greet(client: Socket, password: string): Promise<Asked> {
  const gone = new AbortController();
  const timer = setTimeout(() => client.destroy(), greetMsMax);
  const end = () => gone.abort();
  client.once('close', end);
  const take = (bytes: number) => read(client, bytes, gone.signal);
  try {
    const [version, methods = 0] = await take(2);
    const offered = await take(methods);
    if (version !== 5 || !offered.includes(2)) throw refused();
    client.write(Buffer.from([5, 2]));
    await mustKnow(take, password);
    client.write(Buffer.from([1, 0]));
    const asked = await remoteIn(take);
    return { ...asked, answer: (connected) => void client.write(replyOf(connected)) };
  } finally {
    clearTimeout(timer);
    client.off('close', end);
  }
}

type Take = (bytes: number) => Promise<Buffer>;

const refused = () => new Error('the proxy refused the connection');

async function mustKnow(take: Take, password: string): Promise<void> {
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
