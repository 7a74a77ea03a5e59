import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '#core/clock.ts';
import { cached } from '../../frame/cached.ts';

/** The token of the Authorization header. */
export interface Token {
  readonly text: string;
  readonly madeAt: Date;
  readonly endsAt: Date;
}

export interface Credentials {
  token(signal: AbortSignal): Promise<Token>;
  /** Called when the host answered 401 to this token. Resolves to whether the request should be sent once more. */
  refused(token: Token, signal: AbortSignal): Promise<boolean>;
}

/** A newer token may not be known on all of the host's machines yet. */
const spreadMs = 5_000;
const spreadWaitMs = 1_000;
/** Tokens are renewed this long before they expire, so that a request does not outlive its token. */
const renewBeforeMs = 60_000;

/** A configured token, which cannot be renewed. */
export function fixedCredentials(text: string): Credentials {
  const token: Token = { text, madeAt: new Date(0), endsAt: new Date(8.64e15) };
  return { token: async () => token, refused: async () => false };
}

/** Tokens that we can make, cached until shortly before they expire. A refused one (for example, a revoked one) is replaced. */
export function renewedCredentials(make: () => Promise<Token>, clock: Clock): Credentials {
  const now = () => clock.now().getTime();
  const tokens = cached(make, (token) => now() < token.endsAt.getTime() - renewBeforeMs);
  return {
    token: (signal) => tokens.get(signal),
    async refused(token, signal) {
      if (now() - token.madeAt.getTime() < spreadMs) await sleep(spreadWaitMs, undefined, { signal });
      else tokens.drop(token);
      return true;
    },
  };
}
