import { AppError } from '#core/errors.ts';
import { readBounded } from '#network/answer-size.ts';
import { errorChain } from '#network/error-chain.ts';
import { StrangeAnswer } from '#network/strange-answer.ts';
import type { KeyServiceType } from './contract.ts';

export interface CallOf {
  readonly type: KeyServiceType;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The reply of a service. The caller validates the body, which may be anything and is never shown. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** Deadline of a call including its credentials, in milliseconds. */
export const callMsMax = 5_000;
const answerBytesMax = 65_536;

/** Sends one POST without retries; the caller retries later. @throws AppError `unavailable` when there is no reply in time */
export async function post({ type, url, headers, body }: CallOf, signal: AbortSignal): Promise<Answer> {
  try {
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'error', signal });
    const bytes = await readBounded(response, answerBytesMax);
    return { status: response.status, headers: response.headers, body: parsed(Buffer.from(bytes).toString()) };
  } catch (error) {
    throw unreachable(type, url.host, error);
  }
}

/** Bounds a wait that may ignore its signal, because libraries request the credentials. */
export async function inTime<T>(
  type: KeyServiceType,
  signal: AbortSignal,
  ask: (inTime: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(callMsMax)]);
  const { promise: late, reject } = Promise.withResolvers<never>();
  const end = () => reject(new AppError('unavailable', `${type} did not answer within ${callMsMax} ms`));
  if (deadline.aborted) end();
  deadline.addEventListener('abort', end, { once: true });
  try {
    return await Promise.race([ask(deadline), late]);
  } finally {
    deadline.removeEventListener('abort', end);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function unreachable(type: KeyServiceType, host: string, error: unknown): AppError {
  const chain = errorChain(error);
  if (chain.some((link) => link instanceof StrangeAnswer)) {
    return new AppError('unavailable', `the reply of ${type} at ${host} is too long: is this the key service?`);
  }
  if (chain.some(({ name }) => name === 'TimeoutError' || name === 'AbortError')) {
    return new AppError('unavailable', `${type} at ${host} did not answer within ${callMsMax} ms`);
  }
  const code = chain.map((link) => ('code' in link ? String(link.code) : '')).find((one) => /^[A-Z_]{2,60}$/.test(one));
  return new AppError('unavailable', `${type} at ${host} cannot be reached${code === undefined ? '' : `: ${code}`}`);
}
