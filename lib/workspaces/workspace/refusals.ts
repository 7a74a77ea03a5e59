import { invalidAttribute, unprocessable } from '../../path/jsonapi/error.ts';

/**
 * Runs a change, and says as a client knows it why the store refused it: a name that another workspace has, or something that was
 * removed while the change was made.
 *
 * @throws ApiError 422
 */
export async function withRefusals<T>(change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (error) {
    if (violates(error, '23505') === 'ws_workspaces_name')
      throw invalidAttribute('name', 'Name has already been taken');
    if (violates(error, '23503') !== undefined)
      throw unprocessable('Something that the request names has been removed meanwhile.');
    throw error;
  }
}

/** The constraint that a change violated, of an SQLSTATE (PostgreSQL, appendix A). */
function violates(error: unknown, code: string): unknown {
  if (!(error instanceof Error && 'code' in error && 'constraint' in error)) return undefined;
  return error.code === code ? error.constraint : undefined;
}
