import { notFound } from '../../../core/errors.ts';

/** Foreign key violation: PostgreSQL, appendix A. */
const parentIsGone = '23503';

/**
 * Runs a write of secrets. If it meets the removal of its mount, the parent row is gone.
 *
 * @throws AppError `not-found` then
 */
export async function whileMounted<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === parentIsGone) throw notFound();
    throw cause;
  }
}
