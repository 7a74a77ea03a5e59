import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from 'jose';
import { RemoteFailure } from '#auth/login/remote/failure.ts';
import type { Remote } from '#auth/login/remote/remote.ts';
import type { Clock } from '#core/clock.ts';

/** Where a key set is. */
export interface KeySetSource {
  readonly url: string;
  readonly caCertificates: string;
}

/** The age after which a key set is read again. */
const ageMsMax = 600_000;
/** An unknown key causes another read, but not more often than this. */
const rereadMsMin = 30_000;
/** The pause after a failed read. */
const pauseMs = 3_000;
/** The calls have their own limit. */
const noLimitMs = 3_600_000;

/** The keys of a key set. Calls fail with a `RemoteFailure` when it cannot be read. */
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
  if (status !== 200) throw new RemoteFailure(`it replied with status ${status}`);
  if (!isKeySet(json)) throw new RemoteFailure('its reply is not a key set');
  return json;
}

const isKeySet = (json: unknown): json is object =>
  typeof json === 'object' &&
  json !== null &&
  'keys' in json &&
  Array.isArray(json.keys) &&
  json.keys.every((key) => typeof key === 'object' && key !== null);
