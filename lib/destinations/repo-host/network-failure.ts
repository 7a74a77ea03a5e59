import { blockedMessage } from '../../network/blocked.ts';
import { strangeMessage } from '../../network/strange-answer.ts';
import { DestinationFailure } from '../contract.ts';

interface Circumstances {
  readonly action: string;
  readonly requestMs: number;
  /** The caller's signal ended it. */
  readonly stopped: boolean;
  /** The request's own time was over. */
  readonly late: boolean;
}

const timeoutCodes = ['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT'];
const causesMax = 8;

/** Names a call that got no answer. Of the error only its code is told: messages of HTTP clients may quote headers. */
export function networkFailure(
  error: unknown,
  { action, requestMs, stopped, late }: Circumstances,
): DestinationFailure {
  if (error instanceof DestinationFailure) return error;
  const blocked = blockedMessage(error);
  if (blocked !== undefined) return new DestinationFailure('blocked', `cannot ${action}: ${blocked}`);
  const strange = strangeMessage(error);
  if (strange !== undefined) return new DestinationFailure('unavailable', `cannot ${action}: ${strange}`);
  if (stopped)
    return new DestinationFailure('timeout', `cannot ${action}: the operation was ended before the answer came`);
  const codes = codesOf(error);
  if (late || codes.some((code) => timeoutCodes.includes(code) || code === 'TimeoutError')) {
    return new DestinationFailure('timeout', `cannot ${action}: no answer within ${requestMs} ms`);
  }
  const code = codes.find((text) => /^[A-Z][A-Z0-9_]+$/.test(text)) ?? 'connection failed';
  return new DestinationFailure('network', `cannot ${action}: ${code}; check endpoint, DNS and the network between`);
}

/** Codes and names along the `cause` chain, the outermost first. */
function codesOf(error: unknown): readonly string[] {
  const codes: string[] = [];
  let link = error;
  for (let depth = 0; depth < causesMax && link instanceof Error; depth += 1) {
    if ('code' in link && typeof link.code === 'string') codes.push(link.code);
    codes.push(link.name);
    link = link.cause;
  }
  return codes;
}
