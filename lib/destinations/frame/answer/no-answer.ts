import { blockedMessage } from '../../../network/blocked.ts';
import { errorChain } from '../../../network/error-chain.ts';
import { strangeMessage } from '../../../network/strange-answer.ts';
import { DestinationFailure } from '../../contract.ts';
import { RequestTimeout } from '../verb/request-time.ts';
import { localCode } from './shown-code.ts';

const connectTimeouts = ['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT'];
const answerTimeouts = ['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_ABORTED', 'ABORT_ERR'];

/**
 * Names a call that got no answer of the system: refused by the networking guard, answered by somebody else, out of time, or
 * not connected. Of the error only its code is shown: messages of HTTP clients may quote what was sent. Undefined: the error
 * reports none of these.
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
    return new DestinationFailure('timeout', 'the connection was not ready in time');
  }
  if (codes.some((code) => answerTimeouts.includes(code))) return slow();
  // Trap: an SDK calls a connection that was reset a TimeoutError as well, and leaves only its code.
  const code = codes.at(-1);
  if (code !== undefined) return connectionFailed(code);
  return chain.some(({ name }) => name === 'TimeoutError' || name === 'AbortError') ? slow() : undefined;
}

/** A connection that failed. `code`: of the socket or of TLS; undefined: it has none. */
export function connectionFailed(code: string | undefined): DestinationFailure {
  const advice = isTrustProblem(code ?? '')
    ? 'if its certificate is signed by a private authority, set tls_ca_cert'
    : 'check endpoint, DNS and the network between';
  return new DestinationFailure('network', `the connection failed (${code ?? 'no code'}): ${advice}`);
}

const slow = () => new DestinationFailure('timeout', 'no answer in time');

const isTrustProblem = (code: string): boolean => /CERT|SIGNATURE|SELF_SIGNED|^ERR_TLS/.test(code);

function codeOf(error: Error): readonly string[] {
  const code = 'code' in error ? localCode(error.code) : undefined;
  return code === undefined ? [] : [code];
}
