import { readFile } from 'node:fs/promises';
import { RemoteFailure } from '#auth/login/remote/failure.ts';
import { openRemote } from '#auth/login/remote/remote.ts';
import { AppError } from '#core/errors.ts';
import type { Secret } from '#core/secret.ts';
import type { UnsealSettings } from '#core/settings/unseal.ts';
import { readBounds } from '#network/bounds.ts';

/** The lending API in one attempt. Its calls share a connection, so that a load balancer sends them to one process. */
export interface LendingApi {
  /** Posts to a path below `/v1/`. `what` starts the error texts. @throws AppError `unavailable` unless it answers 200 or 204 */
  post(what: string, path: string, body: object, token?: Secret, signal?: AbortSignal): Promise<unknown>;
  close(): Promise<void>;
}

/** Limit for all calls of an attempt together; the seal aborts an attempt earlier. */
const requestMsMax = 10_000;
/** Required by processes with `KEYFERRY_REQUIRE_REQUEST_HEADER`. */
const headers = { 'x-service-request': 'true' };

/** @throws AppError `unavailable` when the file of certificates cannot be read */
export async function openLendingApi({ address, caFile }: UnsealSettings, ending: AbortSignal): Promise<LendingApi> {
  const caCertificates = caFile === undefined ? '' : await readText(caFile, 'the CA certificates');
  // The operator sets the address, so the guard against addresses that API users choose does not apply.
  const remote = openRemote({ bounds: readBounds('all'), requestMs: requestMsMax });
  return {
    async post(what, path, body, token, signal = ending) {
      const url = new URL(`/v1/${path}`, address);
      const bearer = token === undefined ? {} : { bearer: token.reveal() };
      const { status, json } = await remote
        .ask({ url, caCertificates, headers, body, signal, ...bearer })
        .catch((error: unknown) => {
          throw unavailable(
            `${what}: ${address.origin}: ${error instanceof RemoteFailure ? error.reason : 'the call failed'}`,
          );
        });
      if (status === 200 || status === 204) return json;
      // The text of the answer may quote the request.
      throw unavailable(`${what}: ${address.origin} answered ${status}${adviceFor(status)}`);
    },
    close: () => remote.close(),
  };
}

const advice: Readonly<Record<number, string>> = {
  400: ': the credentials are unknown there, or it has nothing to lend because its seal is automatic',
  403: ': the credentials are wrong or expired, or their policy lacks update and sudo on sys/sync/unseal',
  404: ': the path does not exist; check KEYFERRY_UNSEAL_MOUNT, and whether its release has sys/sync/unseal',
  412: ': a proxy has removed the header X-Service-Request',
  429: ': a quota is exhausted',
  503: ': it is sealed, or its database is unavailable; unseal it with key shares',
};

const adviceFor = (status: number): string => advice[status] ?? '; check KEYFERRY_UNSEAL_ADDRESS';

/** A failure after which the attempt is repeated. */
export const unavailable = (message: string): AppError => new AppError('unavailable', message);

const textBytesMax = 262_144;

/** Reads a file that may be about to be replaced. @throws AppError `unavailable` with the name of the file, not its content */
export async function readText(file: string, what: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw unavailable(`${what} in ${file} cannot be read: ${cause.code ?? 'unknown error'}`);
  });
  const trimmed = text.trim();
  if (trimmed === '' || text.length > textBytesMax) throw unavailable(`${file} is empty or too large for ${what}`);
  return trimmed;
}
