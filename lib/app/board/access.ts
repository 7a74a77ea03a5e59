import { randomBytes } from 'node:crypto';
import type { Gatekeeper, Need } from '#auth/contract.ts';
import { Secret } from '#core/secret.ts';
import { noParameters } from '#path/input/parameters.ts';

export interface AccessParts {
  readonly gatekeeper: Gatekeeper;
  /** In milliseconds. */
  readonly now: () => number;
}

/** Access to the board, for callers whose token is a root token in the store at this moment. */
export interface BoardAccess {
  /** Checks the token in a header, or the session in a cookie. */
  check(headers: Readonly<Record<string, string | readonly string[] | undefined>>): Promise<Admission>;
  /** Returns the cookie of a new session; undefined when the token is not a root token. */
  login(token: string): Promise<string | undefined>;
}

/** `unauthenticated`: no valid token was sent. `forbidden`: the token is not a root token. */
export type Admission = 'root' | 'forbidden' | 'unauthenticated';

/** The access that a caller needs. Only root tokens have it. */
const need: Need = {
  capability: 'read',
  path: 'sys/board',
  sudo: true,
  parameters: noParameters,
  wrapSeconds: undefined,
};

const sessionMsMax = 8 * 3_600_000;
const sessionsMax = 100;
const cookieName = 'keyferry_board';

/**
 * A session refers to a token in the memory of this process; the browser gets only 256 random bits, in a cookie that scripts cannot
 * read. Every request looks the token up in the store, which compares keyed hashes, so revoking a token ends its sessions.
 */
export function openBoardAccess({ gatekeeper, now }: AccessParts): BoardAccess {
  const sessions = new Map<string, { readonly token: Secret; readonly endsAt: number }>();
  const admissionOf = async (token: Secret | undefined): Promise<Admission> => {
    const caller = token === undefined ? 'invalid' : await gatekeeper.authenticate(token);
    if (typeof caller === 'string') return 'unauthenticated';
    const decision = await gatekeeper.authorise(caller, need);
    // The board has no way to send MFA codes.
    return decision.allowed && decision.mfaMethods.length === 0 ? 'root' : 'forbidden';
  };
  const tokenOfSession = (cookies: string): Secret | undefined => {
    const session = sessions.get(new RegExp(`(?:^|; *)${cookieName}=([\\w-]+)`).exec(cookies)?.[1] ?? '');
    return session !== undefined && session.endsAt > now() ? session.token : undefined;
  };
  return {
    check: (headers) => admissionOf(tokenOf(headers) ?? tokenOfSession(String(headers['cookie'] ?? ''))),
    async login(given) {
      const token = new Secret(given);
      if ((await admissionOf(token)) !== 'root') return undefined;
      const id = randomBytes(32).toString('base64url');
      sessions.set(id, { token, endsAt: now() + sessionMsMax });
      const oldest = sessions.keys().next().value;
      if (sessions.size > sessionsMax && oldest !== undefined) sessions.delete(oldest);
      return `${cookieName}=${id}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${sessionMsMax / 1_000}`;
    },
  };
}

const tokenHeaders = ['x-service-token', 'x-vault-token'];

function tokenOf(headers: Parameters<BoardAccess['check']>[0]): Secret | undefined {
  const given = tokenHeaders.map((name) => headers[name]).find((value) => typeof value === 'string' && value !== '');
  if (typeof given === 'string') return new Secret(given);
  const bearer = /^Bearer +(\S+) *$/i.exec(String(headers['authorization'] ?? ''))?.[1];
  return bearer === undefined ? undefined : new Secret(bearer);
}
