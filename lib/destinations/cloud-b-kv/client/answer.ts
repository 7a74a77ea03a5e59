// Beyond the usual files: the SDK accepts answers that did not come from the vault, so its pipeline checks each one.
import type { PipelinePolicy, PipelineRequest, PipelineResponse } from '@azure/core-rest-pipeline';
import { z } from 'zod';
import { StrangeAnswer } from '#network/strange-answer.ts';
import { jsonIn } from '../../frame/answer/remote-text.ts';

/**
 * Refuses a successful answer that is not about the requested secret: on such answers the SDK fails with a TypeError or not at all.
 * Refusals are converted to the form that the SDK reads.
 */
export function answerPolicy(): PipelinePolicy {
  return {
    name: 'keyferry-answer',
    async sendRequest(request, next) {
      const response = await next(request);
      if (response.status >= 300) return withErrorDocument(response);
      const problem = problemOf(request, response);
      if (problem !== undefined) throw new StrangeAnswer(problem);
      return response;
    },
  };
}

const errorDocument = z.object({ error: z.looseObject({}) });

/**
 * Gives a refusal a body that the SDK can read. Gateways, proxies and overloaded vaults send no body, half a document or a page; the
 * SDK turns those into a SyntaxError without the status and Retry-After.
 */
function withErrorDocument(response: PipelineResponse): PipelineResponse {
  if (errorDocument.safeParse(jsonIn(response.bodyAsText ?? '')).success) return response;
  response.headers.set('content-type', 'application/json');
  return { ...response, bodyAsText: '{"error":{}}' };
}

const ofSecret = z.object({ id: z.string() });
const listing = z.object({ value: z.array(ofSecret) });

/** `/secrets/{name}`, `/secrets/{name}/versions`, `/deletedsecrets/{name}`, `/deletedsecrets/{name}/recover` */
const pathForm = /\/(secrets|deletedsecrets)\/([^/]+)(\/versions)?[^?]*$/;

function problemOf({ method, url }: PipelineRequest, { status, bodyAsText }: PipelineResponse): string | undefined {
  const [, collection, name = '', versions] = pathForm.exec(new URL(url).pathname) ?? [];
  // The answer to a purge has no body.
  if (method === 'DELETE' && collection === 'deletedsecrets')
    return status === 204 ? undefined : 'it is not an answer to a purge';
  const body = jsonIn(bodyAsText ?? '');
  if (collection === undefined && method === 'GET' && /\/secrets\/?$/.test(new URL(url).pathname))
    return listing.safeParse(body).success ? undefined : 'it is not a list of secrets';
  if (versions !== undefined) {
    const page = listing.safeParse(body);
    return page.success && page.data.value.every(({ id }) => isOf(id, name))
      ? undefined
      : 'it is not a list of versions';
  }
  const secret = ofSecret.safeParse(body);
  return secret.success && isOf(secret.data.id, name) ? undefined : 'it names another secret';
}

/** The vault ignores case in names and returns the name as stored. */
const isOf = (id: string, name: string): boolean =>
  /\/(?:deleted)?secrets\/([^/]+)/i.exec(id)?.[1]?.toLowerCase() === name.toLowerCase();
