/** Somebody whom an auth method has found. */
export interface LoginOf {
  readonly namespaceId: string;
  /** Of the method. */
  readonly mount: { readonly accessor: string; readonly local: boolean };
  /** What the method knows him by; compared in lower case. */
  readonly alias: string;
  /** Kept with the alias from now on; undefined: what is there stays. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** The aliases of the external groups he is in now; undefined: nothing is said of groups. */
  readonly groups?: readonly string[] | undefined;
}

/** The entity of a login, and its state after it. */
export interface LoginEntity {
  readonly entityId: string;
  readonly entityState: string;
  /** False: nothing at all asks logins for a second factor. Absent: that is not known. */
  readonly mayBeHeld?: boolean;
}

export type EntityOfLogin = (login: LoginOf) => Promise<LoginEntity>;
