import { blockedMessage } from '#network/blocked.ts';
import { errorChain } from '#network/error-chain.ts';
import { strangeMessage } from '#network/strange-answer.ts';
import { DestinationFailure } from '../../contract.ts';
import { RequestTimeout } from '../verb/request-time.ts';
import { localCode } from './remote-text.ts';

const connectTimeouts = ['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT'];
const answerTimeouts = ['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_ABORTED', 'ABORT_ERR'];

/**
 * The failure of a call without an answer of the system: it was refused by the network guard, answered by another server, timed out,
 * or not connected. Only the error's code is shown, because messages of HTTP clients may quote the request. Undefined for other
 * errors.
 */
export function noAnswer(error: unknown): DestinationFailure | undefined {
  const blocked = blockedMessage(error);
  if (blocked !== undefined) return new DestinationFailure('blocked', blocked);
  const strange = strangeMessage(error);
  if (strange !== undefined) return new DestinationFailure('unavailable', strange);
  const chain = errorChain(error);
  const late = chain.find((link) => link instanceof RequestTimeout);
  if (late !== undefined) return new DestinationFailure('timeout', late.message);
  const codes = chain.flatMap(codeOf);
  if (codes.some((code) => connectTimeouts.includes(code))) {
    return new DestinationFailure('timeout', 'connecting took too long');
  }
  if (codes.some((code) => answerTimeouts.includes(code))) return slow();
  // Trap: an SDK reports a reset connection as a TimeoutError too, and only its code shows the difference.
  const code = codes.at(-1);
  if (code !== undefined) return connectionFailed(code);
  return chain.some(({ name }) => name === 'TimeoutError' || name === 'AbortError') ? slow() : undefined;
}

/** The failure of a connection. `code`: of the socket or of TLS, if there is one. */
export function connectionFailed(code: string | undefined): DestinationFailure {
  const advice = isTrustProblem(code ?? '')
    ? 'if a private authority signed its certificate, set tls_ca_cert'
    : 'check endpoint, DNS and the network';
  return new DestinationFailure('network', `the connection failed (${code ?? 'no code'}): ${advice}`);
}

const slow = () => new DestinationFailure('timeout', 'the answer did not come in time');

const isTrustProblem = (code: string): boolean => /CERT|SIGNATURE|SELF_SIGNED|^ERR_TLS/.test(code);

function codeOf(error: Error): readonly string[] {
  const code = 'code' in error ? localCode(error.code) : undefined;
  return code === undefined ? [] : [code];
}
