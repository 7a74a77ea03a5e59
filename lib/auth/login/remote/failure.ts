import { isBlocked } from '#network/blocked.ts';
import { boundsSetting } from '#network/bounds.ts';
import { errorChain } from '#network/error-chain.ts';
import { strangeMessage } from '#network/strange-answer.ts';

/** A call of another system failed, or its reply cannot be used. */
export class RemoteFailure extends Error {
  /** A text of our own without any part of the request, the reply or the address. */
  readonly reason: string;

  constructor(reason: string) {
    super(reason);
    this.name = 'RemoteFailure';
    this.reason = reason;
  }
}

/** The reason why a call failed. */
export function callFailure(error: unknown): RemoteFailure {
  if (error instanceof RemoteFailure) return error;
  if (isBlocked(error))
    return new RemoteFailure(
      `the networking guard of the server does not let it be called (${boundsSetting} opens it)`,
    );
  if (strangeMessage(error) !== undefined) return new RemoteFailure('its reply is too large or has an invalid status');
  const chain = errorChain(error);
  if (chain.some(({ name }) => name === 'TimeoutError')) return new RemoteFailure('it did not answer in time');
  if (chain.some(({ name }) => name === 'AbortError')) return new RemoteFailure('the request was cancelled');
  const codes = chain.flatMap((link) => ('code' in link && typeof link.code === 'string' ? [link.code] : []));
  const known = codes.find((code) => code in reasons);
  if (known !== undefined) return new RemoteFailure(reasons[known] ?? known);
  const untrusted = codes.find((code) => /CERT|_SIGNATURE$|^CRL_|HOSTNAME_MISMATCH/.test(code));
  if (untrusted !== undefined) return new RemoteFailure(`its certificate is not trusted (${untrusted})`);
  if (codes.some((code) => /SSL|TLS/.test(code))) return new RemoteFailure('TLS with it failed');
  return new RemoteFailure('the connection to it failed');
}

/** Whether the other side closed the connection, before or after it received the call. */
export const wasCut = (error: unknown): boolean =>
  errorChain(error).some((link) => 'code' in link && cutCodes.has(String(link.code)));

const cutCodes = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

const late = 'connecting to it took too long';

const reasons: Readonly<Record<string, string>> = {
  ETIMEDOUT: late,
  UND_ERR_CONNECT_TIMEOUT: late,
  UND_ERR_HEADERS_TIMEOUT: 'it did not answer in time',
  UND_ERR_BODY_TIMEOUT: 'it did not answer in time',
  ENOTFOUND: 'its name cannot be resolved',
  EAI_AGAIN: 'its name cannot be resolved',
  ECONNREFUSED: 'it refuses connections',
  EHOSTUNREACH: 'it cannot be reached',
  ENETUNREACH: 'it cannot be reached',
};
