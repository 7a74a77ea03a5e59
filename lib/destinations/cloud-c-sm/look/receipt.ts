// Beyond the usual files: the record of a put holds the state of the secret that it left, beside the number of its version.

/**
 * `<number> <etag>`. Each secret numbers its versions from 1, so a number does not distinguish two secrets of the same name; the etag,
 * which changes with the labels, does. An earlier release recorded only the number.
 */
export const toRemoteVersion = (number: string, etag: string | undefined): string =>
  etag === undefined || etag === '' ? number : `${number} ${etag}`;

export const numberOf = (remoteVersion: string): string => remoteVersion.split(' ', 1)[0] ?? '';

/** The recorded etag, if there is one. */
export const etagOf = (remoteVersion: string | null): string | undefined => remoteVersion?.match(/ (.+)$/)?.[1];

/** Compares numbers only: labels that others set change the etag but not the value. */
export const isSameVersion = (recorded: string, found: string): boolean => numberOf(recorded) === numberOf(found);
