import { coalesce } from '../../../core/concurrency/coalesce.ts';
import { keyedMutex } from '../../../core/concurrency/keyed-mutex.ts';
import { isAway } from '../../../store/postgres/failure.ts';
import { whileMounted } from './mount-gone.ts';
import type { SecretLocation } from './secret-path.ts';

/** A secret's new content, ready to be stored. */
export interface SealedWrite extends SecretLocation {
  readonly data: Buffer;
}

/** How writes are stored. Undefined: refused, nothing was changed. */
export interface WriteStatements<Write extends SealedWrite, Written> {
  /** One write in one round trip. */
  one(write: Write): Promise<Written | undefined>;
  /** Writes of different secrets in one round trip; each is done or refused for itself. */
  many(writes: readonly Write[]): Promise<readonly (Written | undefined)[]>;
  /** What was refused, or failed with others: however many round trips it takes, its outcome is final. */
  alone(write: Write): Promise<Written>;
}

/** Few batches at once are large ones: while one is being committed, the next is gathered. A batch has 4 MiB at most. */
const limits = { batchSizeMax: 64, batchesMax: 2, gatherMs: 20 };
/** More than this goes for itself: small writes shall not wait for large ones to be sent. */
const gatheredBytesMax = 65_536;
/** Who has waited this long for writes of the same secret gets an error, while the caller still waits for the answer. */
const waitMsMax = 10_000;

/**
 * Writes that come together go to the database together and are committed together; one that comes alone goes at once.
 * Writes of one secret wait for each other here, where it costs no connection. If a batch fails, each of its writes is
 * tried for itself, unless the database is away.
 *
 * @throws AppError `not-found` when the mount has gone meanwhile
 */
export function gatheredWrites<Write extends SealedWrite, Written>(
  statements: WriteStatements<Write, Written>,
): (write: Write) => Promise<Written> {
  const writeTogether = (writes: readonly Write[]) => writeInOneStatement(statements, writes);
  const gathered = coalesce(writeTogether, limits);
  const write = async (one: Write): Promise<Written> => {
    const written = one.data.length > gatheredBytesMax ? (await writeTogether([one]))[0] : await gathered(one);
    return written ?? whileMounted(() => statements.alone(one));
  };
  return keyedMutex(write, { keyOf: ({ mountId, path }) => `${mountId}/${path}`, waitMsMax });
}

async function writeInOneStatement<Write extends SealedWrite, Written>(
  { one, many }: WriteStatements<Write, Written>,
  writes: readonly Write[],
): Promise<readonly (Written | undefined)[]> {
  const [first] = writes;
  try {
    return writes.length === 1 && first !== undefined ? [await one(first)] : await many(writes);
  } catch (cause) {
    if (isAway(cause)) throw cause;
    return writes.map(() => undefined);
  }
}
