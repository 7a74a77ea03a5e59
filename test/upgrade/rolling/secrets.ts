import { setTimeout as pause } from 'node:timers/promises';
import type { Caller } from './caller.ts';
import type { Tally } from './tally.ts';

export const mount = 'kv';

/** A secret that only one client writes, so that its last acknowledged value is the expected one. */
export interface Owned {
  readonly name: string;
  /** The last written value. */
  value: number;
  /** The destinations that must have it. */
  readonly wanted: Set<string>;
}

export interface Play {
  readonly call: Caller;
  readonly tally: Tally;
  readonly rootToken: string;
  /** Destinations as `<type>/<name>`. */
  readonly destinations: readonly string[];
  readonly isOver: () => boolean;
}

/** AWS accepts a hundred versions of a secret a day. */
const writesMax = 90;
const pauseMs = 25;

const dataPath = ({ name }: Owned): string => `/v1/${mount}/data/${name}`;

/** Writes, reads, associates and disassociates the secrets of one client until the play is over. */
export async function playSecrets(play: Play, secrets: readonly Owned[]): Promise<void> {
  while (!play.isOver()) {
    const secret = secrets[Math.floor(Math.random() * secrets.length)];
    if (secret === undefined) return;
    const dice = Math.random();
    if (dice < 0.45 && secret.value < writesMax) await write(play, secret);
    else if (dice < 0.85) await read(play, secret);
    else await associate(play, secret);
    await pause(pauseMs);
  }
}

export async function write({ call, tally, rootToken }: Play, secret: Owned): Promise<void> {
  const value = secret.value + 1;
  const body = { data: { v: String(value) } };
  const { status } = await call('write', 'POST', dataPath(secret), { token: rootToken, body });
  if (status === 200) secret.value = value;
  else tally.violation(`a write of ${secret.name} was answered with ${status}`);
}

/** Reads a secret and compares it: a version overtaken by another write, or read from stale data, would show here. */
async function read({ call, tally, rootToken }: Play, secret: Owned): Promise<void> {
  const { status, body } = await call('read', 'GET', dataPath(secret), { token: rootToken });
  const found = JSON.stringify((body['data'] as { data?: unknown } | undefined)?.data);
  const expected = JSON.stringify({ v: String(secret.value) });
  if (found !== expected) tally.violation(`${secret.name} is ${found} (${status}), and ${expected} was acknowledged`);
}

async function associate(play: Play, secret: Owned): Promise<void> {
  const { destinations } = play;
  const destination = destinations[Math.floor(Math.random() * destinations.length)] ?? '';
  const verb = secret.wanted.has(destination) && Math.random() < 0.6 ? 'remove' : 'set';
  await setAssociation(play, secret, destination, verb);
}

export async function setAssociation(
  { call, tally, rootToken }: Play,
  secret: Owned,
  destination: string,
  verb: 'set' | 'remove',
): Promise<void> {
  const { status } = await call(verb, 'POST', `/v1/sys/sync/destinations/${destination}/associations/${verb}`, {
    token: rootToken,
    body: { mount, secret_name: secret.name },
  });
  if (status !== 200) tally.violation(`${verb} of ${secret.name} at ${destination} was answered with ${status}`);
  else if (verb === 'set') secret.wanted.add(destination);
  else secret.wanted.delete(destination);
}
