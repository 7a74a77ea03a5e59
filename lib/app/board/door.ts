import { randomBytes } from 'node:crypto';
import type { Gatekeeper, Need } from '../../auth/contract.ts';
import { Secret } from '../../core/secret.ts';
import { noParameters } from '../../path/input/parameters.ts';

export interface DoorParts {
  readonly gatekeeper: Gatekeeper;
  /** In milliseconds. */
  readonly now: () => number;
}

/** Who comes in: callers whose token gives them the board at this moment, in the store. */
export interface Door {
  /** By a token of a header, or the session of a cookie. */
  admits(headers: Readonly<Record<string, string | readonly string[] | undefined>>): Promise<Admission>;
  /** Answers the cookie of a new session; undefined: the token is not one of root. */
  login(token: string): Promise<string | undefined>;
}

/** `stranger`: no token came, or none that is valid. `forbidden`: a token that is not one of root. */
export type Admission = 'root' | 'forbidden' | 'stranger';

/** What a caller has to be allowed. Only root tokens are. */
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
 * A session stands for its token, which stays in the memory of this process: the browser gets a random text that script cannot
 * read. The store is asked with every request, so a token that is revoked ends its sessions. Tokens are compared by the store,
 * as keyed hashes; sessions are 256 random bits.
 */
export function openDoor({ gatekeeper, now }: DoorParts): Door {
  const sessions = new Map<string, { readonly token: Secret; readonly endsAt: number }>();
  const judge = async (token: Secret | undefined): Promise<Admission> => {
    const caller = token === undefined ? 'invalid' : await gatekeeper.authenticate(token);
    if (typeof caller === 'string') return 'stranger';
    const decision = await gatekeeper.authorise(caller, need);
    // Nobody can send a code here.
    return decision.allowed && decision.mfaMethods.length === 0 ? 'root' : 'forbidden';
  };
  const tokenOfSession = (cookies: string): Secret | undefined => {
    const session = sessions.get(new RegExp(`(?:^|; *)${cookieName}=([\\w-]+)`).exec(cookies)?.[1] ?? '');
    return session !== undefined && session.endsAt > now() ? session.token : undefined;
  };
  return {
    admits: (headers) => judge(tokenOf(headers) ?? tokenOfSession(String(headers['cookie'] ?? ''))),
    async login(given) {
      const token = new Secret(given);
      if ((await judge(token)) !== 'root') return undefined;
      const id = randomBytes(32).toString('base64url');
      sessions.set(id, { token, endsAt: now() + sessionMsMax });
      const oldest = sessions.keys().next().value;
      if (sessions.size > sessionsMax && oldest !== undefined) sessions.delete(oldest);
      return `${cookieName}=${id}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${sessionMsMax / 1_000}`;
    },
  };
}

const tokenHeaders = ['x-service-token', 'x-vault-token'];

function tokenOf(headers: Parameters<Door['admits']>[0]): Secret | undefined {
  const given = tokenHeaders.map((name) => headers[name]).find((value) => typeof value === 'string' && value !== '');
  if (typeof given === 'string') return new Secret(given);
  const bearer = /^Bearer +(\S+) *$/i.exec(String(headers['authorization'] ?? ''))?.[1];
  return bearer === undefined ? undefined : new Secret(bearer);
}
