import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { parseJson } from '#destinations/frame/fake/rest.ts';
import { type Answer, withJson } from '../relay/forward.ts';
import type { NameOperation } from '../relay/relay.ts';
import { apiVersion } from './api.ts';

/** `PUT secrets`, `POST deletedsecrets`. A request without a token only asks how to log in, and meets no fault. */
export const nameOperation: NameOperation = ({ method = 'GET', url = '', headers }) => {
  if (headers.authorization === undefined) return { operation: 'challenge', writes: false, spared: true };
  return { operation: `${method} ${url.split('/')[1] ?? ''}`, writes: method !== 'GET' };
};

export function adaptPath(path: string): string {
  const { pathname, search, searchParams } = new URL(path, 'https://vault');
  if (!searchParams.has('api-version')) return `${pathname}${search}`;
  // The SDK writes the name of the parameter as `api%2Dversion`.
  searchParams.set('api-version', apiVersion);
  return `${pathname}?${searchParams}`;
}

const problem = z.object({ error: z.looseObject({ message: z.string() }) });

/**
 * lowkey-vault deletes and recovers at once, so its only 409 to a put means that a deleted secret holds the name.
 * The service has a code for this.
 */
export function toServiceError(answer: Answer, { method }: IncomingMessage): Answer {
  if (answer.status !== 409 || method !== 'PUT') return answer;
  const refusal = problem.safeParse(parseJson(answer.body.toString()));
  if (!refusal.success) return answer;
  const { message } = refusal.data.error;
  return withJson(answer, {
    error: { code: 'Conflict', message, innererror: { code: 'ObjectIsDeletedButRecoverable' } },
  });
}
