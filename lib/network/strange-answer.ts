import { errorChain, hasCode } from './error-chain.ts';

const strangeCode = 'ERR_STRANGE_ANSWER';
/** Of node:http and undici: they take 16 KB of headers. */
const headerCodes = ['HPE_HEADER_OVERFLOW', 'UND_ERR_HEADERS_OVERFLOW'];

export const strangeAdvice = 'check endpoint, and whether a proxy or a login page stands between';

/**
 * What came is no answer of the service, although it looks like a success: the page of a proxy, JSON of something else, or more than any answer has. Whether the request has arrived at the service is not known.
 */
export class StrangeAnswer extends Error {
  readonly code = strangeCode;

  /** @param problem in our own words, such as "it is a page"; nothing of what came */
  constructor(problem: string) {
    super(`this is no answer of the service (${problem}): ${strangeAdvice}`);
    this.name = 'StrangeAnswer';
  }
}

/** The message of the strange answer behind an SDK's error, or undefined. */
export function strangeMessage(error: unknown): string | undefined {
  const chain = errorChain(error);
  const strange = chain.find((link) => link instanceof StrangeAnswer || hasCode(link, strangeCode));
  if (strange !== undefined) return strange.message;
  const large = chain.some((link) => headerCodes.some((code) => hasCode(link, code)));
  return large ? new StrangeAnswer('its headers are too large').message : undefined;
}
