/** Why a URL cannot be used. The message begins with a verb, names the problem, and shows no secret part of the URL. */
export class DatabaseUrlError extends Error {
  override readonly name = 'DatabaseUrlError';
}

export const formRule =
  'must have the form postgres://user:password@host:port/database, with further host:port pairs after commas';
