// Beyond the usual files: what is recorded of a put says which secret it went to, beside which version it made.

/**
 * What we know of a secret that we wrote. The service gives each secret an ARN of its own, with random characters at its end: one
 * that was deleted and made anew under the same name has another. So a request on the ARN reaches our secret or nothing.
 */
export interface Known {
  readonly version: string | null;
  /** Undefined: written by a release that did not record it. */
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

export function isSameVersion(recorded: string, found: string): boolean {
  const [ours, theirs] = [knownOf(recorded), knownOf(found)];
  if (ours.version !== theirs.version) return false;
  return ours.arn === undefined || theirs.arn === undefined || ours.arn === theirs.arn;
}
