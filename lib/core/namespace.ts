/** A part of the service that has mounts, policies, tokens, identities and destinations of its own. */
export interface Namespace {
  /** Stays while it exists; no later namespace gets it. */
  readonly id: string;
  /** Full path with a trailing slash and no leading one; empty for the root. */
  readonly path: string;
}

/** The namespace of everything that has not been made in another one. */
export const rootNamespace: Namespace = { id: 'root', path: '' };
