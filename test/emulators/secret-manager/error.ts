import { z } from 'zod';
import { parseJson } from '#destinations/frame/fake/rest.ts';
import { type Answer, withJson } from '../relay/forward.ts';

/** The names of google.rpc.Code, by number: https://github.com/googleapis/googleapis google/rpc/code.proto */
const codes = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
] as const;

const status = z.object({ code: z.int(), message: z.string(), details: z.array(z.unknown()).default([]) });

/** The gateway sends a bare google.rpc.Status; the service uses the form of https://google.aip.dev/193. */
export function toServiceError(answer: Answer): Answer {
  const parsed = status.safeParse(answer.status < 400 ? undefined : parseJson(answer.body.toString()));
  if (!parsed.success) return answer;
  const { code, message, details } = parsed.data;
  return withJson(answer, {
    error: { code: answer.status, message, status: codes[code] ?? 'UNKNOWN', details },
  });
}
