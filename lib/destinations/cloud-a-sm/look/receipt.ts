// Beyond the usual files: the record of a put names both the secret that it wrote and the version that it made.

/**
 * What we know about a secret that we wrote. Each secret has its own ARN, which ends in random characters: a secret that was
 * deleted and created anew under the same name has another one. So a request on the ARN reaches our secret or none.
 */
export interface Known {
  readonly version: string | null;
  /** Undefined when the record was written by a release that did not store it. */
  readonly arn: string | undefined;
}

export const unknownSecret: Known = { version: null, arn: undefined };

/** `<version>@<arn>`; no version has an @ in it. */
export const toRemoteVersion = (version: string, arn: string | undefined): string =>
  arn === undefined ? version : `${version}@${arn}`;

export function knownOf(remoteVersion: string | null): Known {
  if (remoteVersion === null) return unknownSecret;
  const at = remoteVersion.indexOf('@');
  if (at < 0) return { version: remoteVersion, arn: undefined };
  return { version: remoteVersion.slice(0, at), arn: remoteVersion.slice(at + 1) };
}

/** Undefined ARNs, of records of an earlier release, leave it to the version. */
export function isSameObject(recorded: string, found: string): boolean {
  const [ours, theirs] = [knownOf(recorded), knownOf(found)];
  return ours.arn === undefined ? isSameVersion(recorded, found) : ours.arn === theirs.arn;
}

export function isSameVersion(recorded: string, found: string): boolean {
  const [ours, theirs] = [knownOf(recorded), knownOf(found)];
  if (ours.version !== theirs.version) return false;
  return ours.arn === undefined || theirs.arn === undefined || ours.arn === theirs.arn;
}
