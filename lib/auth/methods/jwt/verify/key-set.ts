import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from 'jose';
import type { Clock } from '../../../../core/clock.ts';
import { RemoteFailure } from '../../../login/remote/failure.ts';
import type { Remote } from '../../../login/remote/remote.ts';

/** Where a set of keys is. */
export interface KeySetSource {
  readonly url: string;
  readonly caCertificates: string;
}

/** A set is read again when it is so old. */
const ageMsMax = 600_000;
/** A key that is not in it makes it be read again, but not more often. */
const rereadMsMin = 30_000;
/** After a failure nobody is asked for so long. */
const pauseMs = 3_000;
/** The calls have a limit of their own. */
const noLimitMs = 3_600_000;

/** The keys of a set. It fails with a `RemoteFailure` when the set cannot be read. */
export function openKeySet(remote: Remote, clock: Clock, source: KeySetSource): JWTVerifyGetKey {
  let failed: { readonly failure: unknown; readonly at: number } | undefined;
  const read = async (): Promise<Response> => {
    const now = clock.now().getTime();
    if (failed !== undefined && Math.abs(now - failed.at) < pauseMs) throw failed.failure;
    try {
      const keys = await readKeySet(remote, source);
      failed = undefined;
      return Response.json(keys);
    } catch (failure) {
      failed = { failure, at: clock.now().getTime() };
      throw failure;
    }
  };
  const times = { cacheMaxAge: ageMsMax, cooldownDuration: rereadMsMin, timeoutDuration: noLimitMs };
  return createRemoteJWKSet(new URL(source.url), { ...times, [customFetch]: read });
}

/** @throws RemoteFailure */
export async function readKeySet(remote: Remote, { url, caCertificates }: KeySetSource): Promise<object> {
  const { status, json } = await remote.ask({ url: new URL(url), caCertificates });
  if (status !== 200) throw new RemoteFailure(`it answered status ${status}`);
  if (!isKeySet(json)) throw new RemoteFailure('its answer is no set of keys');
  return json;
}

const isKeySet = (json: unknown): json is object =>
  typeof json === 'object' &&
  json !== null &&
  'keys' in json &&
  Array.isArray(json.keys) &&
  json.keys.every((key) => typeof key === 'object' && key !== null);
