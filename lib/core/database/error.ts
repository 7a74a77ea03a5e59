/** Why a URL cannot be used: begins with a verb, names what is wrong, and shows nothing of the URL that may be secret. */
export class DatabaseUrlError extends Error {
  override readonly name = 'DatabaseUrlError';
}
