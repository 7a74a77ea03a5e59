import { invalidAttribute, unprocessable } from '#path/jsonapi/error.ts';

/** Unique constraints, and the attribute of each. */
export type TakenNames = Readonly<Record<string, string>>;

/**
 * Runs a change and translates violated constraints for clients: a name that is taken, or a reference to a resource that was deleted
 * meanwhile.
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
      throw unprocessable('A resource that the request refers to was deleted meanwhile.');
    throw error;
  }
}

const titled = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('-', ' ');

/** The constraint that a change violated with this SQLSTATE. */
function violated(error: unknown, code: string): string | undefined {
  if (!(error instanceof Error && 'code' in error && 'constraint' in error)) return undefined;
  return error.code === code && typeof error.constraint === 'string' ? error.constraint : undefined;
}
