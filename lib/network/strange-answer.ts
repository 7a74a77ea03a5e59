import { errorChain, hasCode } from './error-chain.ts';

const strangeCode = 'ERR_STRANGE_ANSWER';
/** Error codes of node:http and undici, which accept 16 KB of headers. */
const headerCodes = ['HPE_HEADER_OVERFLOW', 'UND_ERR_HEADERS_OVERFLOW'];

export const strangeAdvice = 'check endpoint, and whether a proxy or a login page intercepts the request';

/**
 * The reply looks like a success but did not come from the service: a proxy's page, foreign JSON, or more data than any reply of the
 * service. Whether the request reached the service is unknown.
 */
export class StrangeAnswer extends Error {
  readonly code = strangeCode;

  /** @param problem our own description, such as "it is a page"; it quotes nothing of the reply */
  constructor(problem: string) {
    super(`the answer did not come from the service (${problem}): ${strangeAdvice}`);
    this.name = 'StrangeAnswer';
  }
}

/** The message of the strange answer inside an SDK's error, or undefined. */
export function strangeMessage(error: unknown): string | undefined {
  const chain = errorChain(error);
  const strange = chain.find((link) => link instanceof StrangeAnswer || hasCode(link, strangeCode));
  if (strange !== undefined) return strange.message;
  const large = chain.some((link) => headerCodes.some((code) => hasCode(link, code)));
  return large ? new StrangeAnswer('its headers are too large').message : undefined;
}
