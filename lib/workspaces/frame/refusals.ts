import { invalidAttribute, unprocessable } from '../../path/jsonapi/error.ts';

/** What a change violates when something else has what it wants: the constraint, and the attribute that is to blame. */
export type TakenNames = Readonly<Record<string, string>>;

/**
 * Runs a change, and says as a client knows it why the store refused it: a name that another thing has, or something that was
 * removed while the change was made.
 *
 * @throws ApiError 422
 */
export async function withRefusals<T>(taken: TakenNames, change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (error) {
    const attribute = taken[violated(error, '23505') ?? ''];
    if (attribute !== undefined) throw invalidAttribute(attribute, `${titled(attribute)} has already been taken`);
    if (violated(error, '23503') !== undefined)
      throw unprocessable('Something that the request names has been removed meanwhile.');
    throw error;
  }
}

const titled = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('-', ' ');

/** The constraint that a change violated, of an SQLSTATE (PostgreSQL, appendix A). */
function violated(error: unknown, code: string): string | undefined {
  if (!(error instanceof Error && 'code' in error && 'constraint' in error)) return undefined;
  return error.code === code && typeof error.constraint === 'string' ? error.constraint : undefined;
}
