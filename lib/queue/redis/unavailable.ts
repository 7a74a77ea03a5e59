import { AppError } from '../../core/errors.ts';

/** A reply that is our own mistake, not a state of the server: it must not look like an outage. */
const mistake = /^(ERR|WRONGTYPE|CROSSSLOT|NOPERM|WRONGPASS|NOAUTH)\b/;
/** What ioredis says of its connection in errors without a code. */
const away = /^(Command timed out|Connection is closed|Stream isn't writeable|Socket timeout)/;

/** Answers what `work` answers; an outage of Redis becomes AppError `unavailable`. */
export async function reach<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof Error) || !isOutage(cause)) throw cause;
    throw new AppError('unavailable', `the sync queue cannot be used: ${reason(cause)}`, { cause });
  }
}

function isOutage(cause: Error): boolean {
  if (cause.name === 'ReplyError') return !mistake.test(cause.message);
  return cause.name === 'MaxRetriesPerRequestError' || 'syscall' in cause || away.test(cause.message);
}

function reason(cause: Error): string {
  if (cause.message.startsWith('OOM')) return 'Redis is out of memory; raise its maxmemory';
  if (cause.message.startsWith('LOADING')) return 'Redis is reading its data; try again';
  return 'Redis cannot be reached; try again';
}
