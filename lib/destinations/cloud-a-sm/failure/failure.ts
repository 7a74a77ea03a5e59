import { z } from 'zod';
import { StrangeAnswer } from '#network/strange-answer.ts';
import { DestinationFailure } from '../../contract.ts';
import { requestIdOf, retryAfterMs } from '../../frame/answer/headers.ts';
import { noAnswer } from '../../frame/answer/no-answer.ts';
import { shownCode } from '../../frame/answer/remote-text.ts';
import { cannot, unexpected } from '../../frame/verb/verb.ts';
import { documentedCodes, judge, scheduledText } from './judgement.ts';

/** A refusal of the service. The driver decides by `code` what to do next; it is empty unless the service documents it. */
export class ServiceFailure extends DestinationFailure {
  readonly code: string;
  /** The secret is scheduled for deletion. */
  readonly scheduled: boolean;

  constructor(step: string | undefined, refusal: Refusal) {
    const { kind, advice, quotable } = judge(refusal);
    const code = shownCode(refusal.code, documentedCodes);
    const at = step === undefined ? '' : `cannot ${step}: `;
    super(kind, `${at}${code ?? `status ${refusal.status ?? 'unknown'}`}; ${advice}`, {
      retryAfterMs: retryAfterMs((name) => refusal.headers[name]),
      requestId: requestIdOf((name) => refusal.headers[name], 'x-amzn-requestid'),
      said: quotable ? refusal.message : undefined,
    });
    this.code = code ?? '';
    this.scheduled = refusal.code === 'InvalidRequestException' && scheduledText.test(refusal.message);
  }
}

/** The secret does not exist or is scheduled for deletion. */
export const isGone = (error: unknown): boolean =>
  error instanceof ServiceFailure && (error.scheduled || error.code === 'ResourceNotFoundException');

export interface Refusal {
  readonly code: string;
  readonly status: number | undefined;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Turns what an SDK threw into a failure. The SDK's error itself is dropped: it holds the answer with its headers, and some of
 * the service's texts quote the request.
 *
 * @param step names the request where it is only a part of the verb: "tag it"
 */
export function toFailure(error: unknown, step?: string): DestinationFailure {
  if (error instanceof DestinationFailure) return error;
  const known = shape.safeParse(error).data;
  const silent = noAnswer(error);
  // Some refusals, and the errors of files that cannot be read, carry a code of the operating system too.
  const isSilent = silent !== undefined && silent.kind !== 'network';
  const refusal = known === undefined || isSilent || isStrangeSts(known) ? undefined : toRefusal(known);
  if (refusal !== undefined) return new ServiceFailure(step, refusal);
  const failure = isSilent ? silent : (localFailure(known) ?? silent ?? unexpected(error));
  return step === undefined ? failure : cannot(step, failure);
}

/** Failures before a request, and answers to a login that hold no credentials. */
function localFailure(known: SdkError | undefined): DestinationFailure | undefined {
  if (known === undefined) return undefined;
  if (isStrangeSts(known)) {
    return new DestinationFailure('unavailable', new StrangeAnswer('it has no credentials').message);
  }
  if (/region is missing/i.test(known.message)) {
    return new DestinationFailure('invalid', 'set region, or AWS_REGION where the worker runs');
  }
  if (!fileCodes.includes(known.code ?? '')) return undefined;
  return new DestinationFailure('credentials', `${known.code}; a credentials file cannot be read`);
}

/** The SDK's message for a successful answer of STS that holds no credentials. */
const isStrangeSts = ({ message }: SdkError): boolean => /^Invalid response from STS/.test(message);

const fileCodes = ['ENOENT', 'EACCES', 'EISDIR', 'ENOTDIR'];

/** What SDK errors have in common. `$response` is set once an answer came, even one that could not be read. */
const shape = z.object({
  name: z.string(),
  message: z.string(),
  code: z.string().optional().catch(undefined),
  $metadata: z.object({ httpStatusCode: z.number().optional() }).optional().catch(undefined),
  $response: z
    .object({ statusCode: z.number(), headers: z.record(z.string(), z.string()) })
    .optional()
    .catch(undefined),
});

type SdkError = z.output<typeof shape>;

function toRefusal({ name, message, $metadata, $response }: SdkError): Refusal | undefined {
  const status = $response?.statusCode ?? $metadata?.httpStatusCode;
  const local = name === 'CredentialsProviderError' || name === 'TokenProviderError';
  if (status === undefined && !local) return undefined;
  return { code: name, status, message, headers: $response?.headers ?? {} };
}
