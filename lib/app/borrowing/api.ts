import { readFile } from 'node:fs/promises';
import { RemoteFailure } from '../../auth/login/remote/failure.ts';
import { openRemote } from '../../auth/login/remote/remote.ts';
import { AppError } from '../../core/errors.ts';
import type { Secret } from '../../core/secret.ts';
import type { UnsealSettings } from '../../core/unseal.ts';
import { readBounds } from '../../network/bounds.ts';

/** The API that lends, for one attempt: its calls go over one connection, so that a balancer does not lead them to different processes. */
export interface LendingApi {
  /** Posts to a path below `/v1/`. `what` begins the texts of failures. @throws AppError `unavailable` unless it answers 200 or 204 */
  post(what: string, path: string, body: object, token?: Secret, signal?: AbortSignal): Promise<unknown>;
  close(): Promise<void>;
}

/** For all calls of an attempt together; the opener of the seal ends it earlier. */
const requestMsMax = 10_000;
/** Processes with `KEYFERRY_REQUIRE_REQUEST_HEADER` want it. */
const headers = { 'x-service-request': 'true' };

/** @throws AppError `unavailable` when the file of certificates cannot be read */
export async function openLendingApi({ address, caFile }: UnsealSettings, ending: AbortSignal): Promise<LendingApi> {
  const caCertificates = caFile === undefined ? '' : await readText(caFile, 'the CA certificates');
  // Whoever runs the process names the address, so the guard against addresses of API users does not apply.
  const remote = openRemote({ bounds: readBounds('all'), requestMs: requestMsMax });
  return {
    async post(what, path, body, token, signal = ending) {
      const url = new URL(`/v1/${path}`, address);
      const bearer = token === undefined ? {} : { bearer: token.reveal() };
      const { status, json } = await remote
        .ask({ url, caCertificates, headers, body, signal, ...bearer })
        .catch((error: unknown) => {
          throw away(
            `${what}: ${address.origin}: ${error instanceof RemoteFailure ? error.reason : 'it cannot be asked'}`,
          );
        });
      if (status === 200 || status === 204) return json;
      // The text of the answer may quote what was sent.
      throw away(`${what}: ${address.origin} answered ${status}${adviceFor(status)}`);
    },
    close: () => remote.close(),
  };
}

const advice: Readonly<Record<number, string>> = {
  400: ': it does not know these credentials, or has nothing to lend because its seal is automatic',
  403: ': the credentials are wrong or expired, or their policy lacks update and sudo on sys/sync/unseal',
  404: ': there is no such path; check KEYFERRY_UNSEAL_MOUNT, and whether its release knows sys/sync/unseal',
  412: ': it wants a header that something between has removed',
  429: ': a quota is used up',
  503: ': it is sealed, or its database is away; unseal it by key shares',
};

const adviceFor = (status: number): string => advice[status] ?? '; check KEYFERRY_UNSEAL_ADDRESS';

/** It is tried again. */
export const away = (message: string): AppError => new AppError('unavailable', message);

const textBytesMax = 262_144;

/** A file that somebody may be replacing. @throws AppError `unavailable` that names the file, and nothing of it */
export async function readText(file: string, what: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw away(`${what} in ${file} cannot be read: ${cause.code ?? 'unknown error'}`);
  });
  const trimmed = text.trim();
  if (trimmed === '' || text.length > textBytesMax) throw away(`${file} is empty or too large for ${what}`);
  return trimmed;
}
