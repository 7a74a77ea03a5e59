import { type Eventual, mapMaybePromise } from '#core/concurrency/eventual.ts';
import type { AuditedOutcome, AuditedRequest } from '../contract.ts';
import type { Marks } from './marks.ts';
import { errorText, replyMembers } from './reply.ts';

/** Why a request was not run. */
export interface Refusal {
  readonly request: AuditedRequest;
  readonly error: unknown;
}

/** The line of a request. */
export function requestLine(marks: Marks, time: Date, members: string, refusal?: Refusal): string {
  const why =
    refusal === undefined ? '' : `,"error":${JSON.stringify(errorText(refusal.request, refusal.error, marks))}`;
  return `${head(marks, time, 'request')}${members}${why}}\n`;
}

/** The line of the outcome of a request. */
export function replyLine(
  marks: Marks,
  time: Date,
  { request, members }: { readonly request: AuditedRequest; readonly members: string },
  outcome: AuditedOutcome,
): Eventual<string> {
  const text = `${head(marks, time, 'response')}${members}`;
  return mapMaybePromise(replyMembers(request, outcome, marks), (response) => `${text},${response}}\n`);
}

/** The line that a device must accept before it is enabled. */
export const testLine = (marks: Marks, time: Date, id: string): string =>
  `${head(marks, time, 'request')}"auth":{},"request":${JSON.stringify({ id, operation: 'update', namespace: { id: 'root', path: '' }, path: 'sys/audit/test' })}}\n`;

const head = ({ settings }: Marks, time: Date, type: string): string =>
  `${settings.prefix}{"time":"${time.toISOString()}","type":"${type}",`;
