import { z } from 'zod';
import { blockedMessage } from '../../network/blocked.ts';
import { StrangeAnswer, strangeMessage } from '../../network/strange-answer.ts';
import { DestinationFailure } from '../contract.ts';
import { localCode, shownCode } from '../frame/shown-code.ts';
import { documentedCodes, judge, scheduledText } from './judgement.ts';

/** A refusal of the service. `code` is its own name for it (empty: none that is documented); the driver decides by it what to do next. */
export class ServiceFailure extends DestinationFailure {
  readonly code: string;
  /** The secret is scheduled for deletion. */
  readonly scheduled: boolean;

  constructor(action: string, refusal: Refusal) {
    const { kind, advice, quotable } = judge(refusal);
    const retryAfterMs = kind === 'throttled' || kind === 'unavailable' ? waitMs(refusal.headers) : undefined;
    const code = shownCode(refusal.code, documentedCodes);
    super(kind, `cannot ${action}: ${code ?? `status ${refusal.status ?? 'unknown'}`}; ${advice}`, {
      retryAfterMs,
      said: quotable ? refusal.message : undefined,
    });
    this.code = code ?? '';
    this.scheduled = refusal.code === 'InvalidRequestException' && scheduledText.test(refusal.message);
  }
}

/** The secret is not there, or waits for its deletion. */
export const isGone = (error: unknown): boolean =>
  error instanceof ServiceFailure && (error.scheduled || error.code === 'ResourceNotFoundException');

export interface Refusal {
  readonly code: string;
  readonly status: number | undefined;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface Circumstances {
  /** What was to be done: "create secret a/b". */
  readonly action: string;
  readonly requestMs: number;
  /** The caller's signal ended it. */
  readonly stopped: boolean;
}

/**
 * Names what an SDK threw. The SDK's error itself is let go: it holds the answer with its headers, and some of the
 * service's texts quote what was sent.
 */
export function toFailure(error: unknown, { action, requestMs, stopped }: Circumstances): DestinationFailure {
  if (error instanceof DestinationFailure) return error;
  const blocked = blockedMessage(error);
  if (blocked !== undefined) return new DestinationFailure('blocked', `cannot ${action}: ${blocked}`);
  const strange = strangeMessage(error);
  if (strange !== undefined) return new DestinationFailure('unavailable', `cannot ${action}: ${strange}`);
  if (stopped)
    return new DestinationFailure('timeout', `cannot ${action}: the operation was ended before the answer came`);
  const known = shape.safeParse(error).data;
  if (known === undefined)
    return new DestinationFailure('internal', `cannot ${action}: unexpected error`, { cause: error });
  if (isTimeout(known)) {
    return new DestinationFailure('timeout', `cannot ${action}: no answer within ${requestMs} ms`);
  }
  // What an SDK's provider says of a success without credentials in it.
  if (/^Invalid response from STS/.test(known.message)) {
    return new DestinationFailure(
      'unavailable',
      `cannot ${action}: ${new StrangeAnswer('it has no credentials').message}`,
    );
  }
  const refusal = toRefusal(known);
  if (refusal !== undefined) return new ServiceFailure(action, refusal);
  if (/region is missing/i.test(known.message)) {
    return new DestinationFailure('invalid', `cannot ${action}: set region, or AWS_REGION where the worker runs`);
  }
  if (fileCodes.includes(known.code ?? '')) {
    return new DestinationFailure(
      'credentials',
      `cannot ${action}: ${known.code}; a file of credentials cannot be read`,
    );
  }
  if (known.code === undefined)
    return new DestinationFailure('internal', `cannot ${action}: unexpected error`, { cause: error });
  return new DestinationFailure(
    'network',
    `cannot ${action}: ${localCode(known.code)}; check endpoint, DNS and the network between`,
  );
}

const fileCodes = ['ENOENT', 'EACCES', 'EISDIR', 'ENOTDIR'];

/** What SDK errors have in common. `$response` is there once an answer came, also one that could not be read. */
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

/** Trap: the SDK calls a connection that was reset a TimeoutError as well, and leaves only its code. */
const isTimeout = ({ name, code }: z.output<typeof shape>): boolean =>
  code === 'ETIMEDOUT' || (code === undefined && (name === 'TimeoutError' || name === 'AbortError'));

function toRefusal({ name, message, $metadata, $response }: z.output<typeof shape>): Refusal | undefined {
  const status = $response?.statusCode ?? $metadata?.httpStatusCode;
  const local = name === 'CredentialsProviderError' || name === 'TokenProviderError';
  if (status === undefined && !local) return undefined;
  return { code: name, status, message, headers: $response?.headers ?? {} };
}

/** Retry-After comes as seconds or as a date; a date is read on the remote's own clock. */
function waitMs(headers: Readonly<Record<string, string>>): number | undefined {
  const asked = headers['retry-after'];
  if (asked === undefined) return undefined;
  if (/^\d{1,9}$/.test(asked)) return Number(asked) * 1000;
  const until = Date.parse(asked) - Date.parse(headers['date'] ?? '');
  return Number.isNaN(until) ? undefined : Math.max(until, 0);
}
