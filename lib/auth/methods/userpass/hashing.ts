import { badField, TooManyRequests } from '#core/errors.ts';
import { Secret } from '#core/secret.ts';

/** The cost of new hashes, which take 2 to this power rounds: the default of the API family. */
const cost = 10;
/** Bound of the cost of hashes from clients, which a login has to wait for. */
const costMax = 14;
const hashForm = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;

/** bcrypt ignores further bytes, so longer passwords are refused. */
const passwordBytesMax = 72;

/** Salt and hash of an unknown password, to compare with at any cost. */
const hashOfNothing = (hashCost: number): string =>
  `$2b$${String(hashCost).padStart(2, '0')}$tQYCNpw2.tJNIY8j91k9JO0hTiMOLbIlulgGLyKHPvRgLI0jmdd1i`;

/** Threads that hash. The other threads of the pool stay free for DNS and files. */
const runningMax = 2;
/** Bound of the waiting logins; further ones are refused. */
const waitingMax = 128;

/** @throws AppError `bad-request` for an invalid password, `too-many-requests` */
export async function hashOf(password: string): Promise<Secret> {
  if (password === '') throw badField('password', 'missing password');
  if (Buffer.byteLength(password) > passwordBytesMax)
    throw badField('password', `password: at most ${passwordBytesMax} bytes are allowed`);
  if (password.includes('\0')) throw badField('password', 'password: the character U+0000 is not allowed');
  return new Secret(await bounded(async () => (await bcrypt()).hash(password, cost)));
}

/** A hash from a client. @throws AppError `bad-request` */
export function givenHash(hash: string): Secret {
  const given = Number(hashForm.exec(hash)?.[1] ?? 0);
  if (given >= 4 && given <= costMax) return new Secret(hash);
  throw badField('password_hash', `password_hash: expected a bcrypt hash with a cost from 4 to ${costMax}`);
}

/** The cost of a hash: comparing a password with it takes 2 to this power rounds. */
export const costOf = (hash: Secret): number => Number(hashForm.exec(hash.reveal())?.[1] ?? cost);

/**
 * Whether a password matches a hash. Every comparison takes the same number of rounds, also without a hash: those of the most expensive
 * hash of the mount (`costMaxThere`), or of a new hash.
 *
 * @throws AppError `too-many-requests` when too many comparisons are waiting
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
    // A cost has twice the rounds of the previous one, so one hash of each cost in between makes up the difference.
    for (let filled = costKnown; filled < costWanted; filled += 1) await compare(given, hashOfNothing(filled));
    return isRight;
  });
  return compared && countable && hash !== undefined;
}

/** Native code, which a process loads with the first password. */
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
