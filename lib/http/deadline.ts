import { AppError } from '../core/errors.ts';

/** The work's outcome, or after `milliseconds` an `AppError` `unavailable`; `expire` then ends what is still running. */
export async function within<T>(milliseconds: number, work: Promise<T>, expire: () => void): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      expire();
      reject(new AppError('unavailable', 'the request took too long'));
    }, milliseconds);
  });
  try {
    return await Promise.race([work, expired]);
  } finally {
    clearTimeout(timer);
  }
}
