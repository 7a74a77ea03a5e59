import { invalidAttribute } from '../../path/jsonapi/error.ts';

/**
 * Does a change that PostgreSQL refuses when its name is taken.
 *
 * @throws ApiError 422 "… has already been taken" about that attribute
 */
export async function mustBeNew<T>(attribute: string, change: Promise<T>): Promise<T> {
  try {
    return await change;
  } catch (error) {
    if (!isTaken(error)) throw error;
    const name = attribute.charAt(0).toUpperCase() + attribute.slice(1).replaceAll('-', ' ');
    throw invalidAttribute(attribute, `${name} has already been taken`);
  }
}

const isTaken = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === '23505';
