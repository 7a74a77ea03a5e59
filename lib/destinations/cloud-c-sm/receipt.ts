// Beyond the usual files: what is recorded of a put says which state of the secret it left, beside the number of its version.

/**
 * `<number> <etag>`. Versions are counted from 1 in each secret, so a number does not tell one secret from another of the same name;
 * the etag, which changes with the labels, does. An earlier release recorded the number alone.
 */
export const toRemoteVersion = (number: string, etag: string | undefined): string =>
  etag === undefined || etag === '' ? number : `${number} ${etag}`;

export const numberOf = (remoteVersion: string): string => remoteVersion.split(' ', 1)[0] ?? '';

/** Undefined: none was recorded. */
export const etagOf = (remoteVersion: string | null): string | undefined => remoteVersion?.match(/ (.+)$/)?.[1];

/** Labels that others set change the etag and not the value. */
export const isSameVersion = (recorded: string, found: string): boolean => numberOf(recorded) === numberOf(found);
