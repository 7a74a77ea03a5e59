import { badRequest, TooManyRequests } from '../../../core/errors.ts';
import { Secret } from '../../../core/secret.ts';

/** 2 to this power rounds, as others of the API family do by default. */
const cost = 10;
/** A hash that a client brings may cost more, up to what a login can wait for. */
const costMax = 14;
const hashForm = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;

/** More bytes do not count for bcrypt, so they are refused rather than cut off. */
const passwordBytesMax = 72;

/** Of a password that is not known, at any cost: the digits after the cost are salt and hash. */
const hashOfNothing = (hashCost: number): string =>
  `$2b$${String(hashCost).padStart(2, '0')}$tQYCNpw2.tJNIY8j91k9JO0hTiMOLbIlulgGLyKHPvRgLI0jmdd1i`;

/** Threads that hash; the others of the pool stay free for names of hosts and files. */
const runningMax = 2;
/** Who comes when so many wait is refused. */
const waitingMax = 128;

/** @throws AppError `bad-request` for a password that cannot be kept, `too-many-requests` */
export async function hashOf(password: string): Promise<Secret> {
  if (password === '') throw badRequest('missing password');
  if (Buffer.byteLength(password) > passwordBytesMax)
    throw badRequest(`password: it has more than ${passwordBytesMax} bytes`);
  if (password.includes('\0')) throw badRequest('password: it holds the character U+0000');
  return new Secret(await bounded(async () => (await bcrypt()).hash(password, cost)));
}

/** A hash that a client has made. @throws AppError `bad-request` */
export function givenHash(hash: string): Secret {
  const given = Number(hashForm.exec(hash)?.[1] ?? 0);
  if (given >= 4 && given <= costMax) return new Secret(hash);
  throw badRequest(`password_hash: it is no bcrypt hash of a cost from 4 to ${costMax}`);
}

/** 2 to this power rounds are what it takes to compare a password with the hash. */
export const costOf = (hash: Secret): number => Number(hashForm.exec(hash.reveal())?.[1] ?? cost);

/**
 * Whether a password is the one of a hash. Without a hash it is not, which takes as long to find out: every comparison at a mount
 * takes as many rounds as the dearest hash there (`costMaxThere`), or the one that this service makes.
 *
 * @throws AppError `too-many-requests` when others wait already
 */
export async function isPassword(password: string, hash: Secret | undefined, costMaxThere: number): Promise<boolean> {
  const countable = Buffer.byteLength(password) <= passwordBytesMax && !password.includes('\0');
  const given = countable ? password : '';
  const costWanted = Math.max(cost, costMaxThere);
  const known = hash?.reveal() ?? hashOfNothing(costWanted);
  const costKnown = hash === undefined ? costWanted : costOf(hash);
  const compared = await bounded(async () => {
    const { compare } = await bcrypt();
    const isRight = await compare(given, known);
    // Twice the rounds of one cost are those of the next, so one of each cost in between fills the rest up.
    for (let filled = costKnown; filled < costWanted; filled += 1) await compare(given, hashOfNothing(filled));
    return isRight;
  });
  return compared && countable && hash !== undefined;
}

/** Native code, which only processes load where somebody logs in with a password. */
const bcrypt = async () => (await import('bcrypt')).default;

let running = 0;
const waiting: (() => void)[] = [];

async function bounded<T>(work: () => Promise<T>): Promise<T> {
  if (running >= runningMax) {
    if (waiting.length >= waitingMax) throw new TooManyRequests('too many passwords are being checked', 1);
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else running += 1;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}
