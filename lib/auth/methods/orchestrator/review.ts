import { z } from 'zod';
import { RemoteFailure } from '../../login/remote/failure.ts';
import type { Remote } from '../../login/remote/remote.ts';
import type { ServiceAccount } from './account.ts';

/** How the API of the orchestrator is called. */
export interface Access {
  /** URL of the API. */
  readonly host: string;
  readonly caCertificates: string;
  /** Token of the caller of the API. */
  readonly bearer: string;
  readonly signal: AbortSignal;
}

export interface Asked {
  readonly jwt: string;
  /** The claims of the JWT. */
  readonly account: ServiceAccount;
  /** Required audience; empty for the API itself. */
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
 * Asks the orchestrator whether a JWT is valid.
 *
 * @returns the reason for a refusal; undefined when the JWT is valid
 * @throws RemoteFailure when there is no usable reply
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
  // With the JWT as the bearer, this status means that the JWT is invalid.
  if (status === 401 && access.bearer === asked.jwt) return 'the orchestrator does not accept the JWT';
  mustBeDone(status);
  const read = answer.safeParse(json);
  if (!read.success) throw new RemoteFailure('its reply is not a token review');
  return refusal(read.data.status, asked);
}

/** @throws RemoteFailure for a status that is not a success */
export function mustBeDone(status: number): void {
  if (done.includes(status)) return;
  const refused = status === 401 || status === 403;
  throw new RemoteFailure(refused ? `it refuses the reviewer (status ${status})` : `it replied with status ${status}`);
}

/** The URL of a path below that of the host, which may be a proxy with a path. */
export const apiUrl = (host: string, below: string): URL => new URL(host.replace(/\/+$/, '') + below);

function refusal({ error, authenticated, audiences, user }: Status, { account, audience }: Asked): string | undefined {
  if (error) return 'the review failed';
  if (authenticated !== true) return 'the review says that the JWT is not authentic';
  if (audience !== '' && audiences?.includes(audience) !== true) return 'the JWT is not for the audience of the role';
  if (user?.groups?.includes('system:serviceaccounts') !== true) return 'the reviewed user is not a service account';
  const [system, kind, namespace, name, ...more] = (user.username ?? '').split(':');
  if (system !== 'system' || kind !== 'serviceaccount' || more.length > 0)
    return 'the reviewed user is not a service account';
  if (namespace !== account.namespace || name !== account.name || user.uid !== account.uid)
    return 'the review names another account than the JWT';
  return undefined;
}
