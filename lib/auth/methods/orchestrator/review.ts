import { z } from 'zod';
import { RemoteFailure } from '../../login/remote/failure.ts';
import type { Remote } from '../../login/remote/remote.ts';
import type { ServiceAccount } from './account.ts';

/** How the orchestrator's API is called. */
export interface Access {
  /** Address of the API. */
  readonly host: string;
  readonly caCertificates: string;
  /** Token of who asks. */
  readonly bearer: string;
  readonly signal: AbortSignal;
}

export interface Asked {
  readonly jwt: string;
  /** What the JWT says of itself. */
  readonly account: ServiceAccount;
  /** Whom it has to be made for; empty: the API itself. */
  readonly audience: string;
}

const path = '/apis/authentication.k8s.io/v1/tokenreviews';
const done: readonly number[] = [200, 201];

const answer = z.object({
  status: z.object({
    authenticated: z.boolean().nullish(),
    error: z.string().nullish(),
    audiences: z.array(z.string()).nullish(),
    user: z
      .object({
        username: z.string().nullish(),
        uid: z.string().nullish(),
        groups: z.array(z.string()).nullish(),
      })
      .nullish(),
  }),
});

type Status = z.output<typeof answer>['status'];

/**
 * Asks the orchestrator whether a JWT is good.
 *
 * @returns why it is refused; undefined: it is good
 * @throws RemoteFailure when there is no answer that can be used
 */
export async function review(remote: Remote, access: Access, asked: Asked): Promise<string | undefined> {
  const { status, json } = await remote.ask({
    url: apiUrl(access.host, path),
    caCertificates: access.caCertificates,
    bearer: access.bearer,
    body: {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      spec: { token: asked.jwt, ...(asked.audience === '' ? {} : { audiences: [asked.audience] }) },
    },
    signal: access.signal,
  });
  // Who asks with the JWT itself is told here that it is not good.
  if (status === 401 && access.bearer === asked.jwt) return 'the orchestrator does not accept the JWT';
  mustBeDone(status);
  const read = answer.safeParse(json);
  if (!read.success) throw new RemoteFailure('its answer is no token review');
  return refusal(read.data.status, asked);
}

/** Why the API could not be asked. @throws RemoteFailure */
export function mustBeDone(status: number): void {
  if (done.includes(status)) return;
  const refused = status === 401 || status === 403;
  throw new RemoteFailure(refused ? `it refuses the reviewer (status ${status})` : `it answered status ${status}`);
}

/** Below the path of the address, which a proxy in front of the API may have. */
export const apiUrl = (host: string, below: string): URL => new URL(host.replace(/\/+$/, '') + below);

function refusal({ error, authenticated, audiences, user }: Status, { account, audience }: Asked): string | undefined {
  if (error) return 'the review ended in an error';
  if (authenticated !== true) return 'the review says that the JWT is not authentic';
  if (audience !== '' && audiences?.includes(audience) !== true) return 'the JWT is not for the audience of the role';
  if (user?.groups?.includes('system:serviceaccounts') !== true) return 'the reviewed user is no service account';
  const [system, kind, namespace, name, ...more] = (user.username ?? '').split(':');
  if (system !== 'system' || kind !== 'serviceaccount' || more.length > 0)
    return 'the reviewed user is no service account';
  if (namespace !== account.namespace || name !== account.name || user.uid !== account.uid)
    return 'the JWT says another account than the review';
  return undefined;
}
