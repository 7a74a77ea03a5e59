// Beyond the usual files: the SDK takes answers of something else for those of the vault, so each is checked in its pipeline.
import type { PipelinePolicy, PipelineRequest, PipelineResponse } from '@azure/core-rest-pipeline';
import { z } from 'zod';
import { StrangeAnswer } from '../../network/strange-answer.ts';
import { jsonIn } from '../frame/answer/json-in.ts';

/**
 * A success has to speak of the secret that was asked for. The SDK fails on other answers with errors of the language, or not at all.
 * A refusal comes in the form that the SDK reads.
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
 * A refusal whose body the SDK can read. Gateways, proxies and vaults in trouble send none, half a document or a page, of which the
 * SDK makes an error of the language that has lost the status and Retry-After.
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
  // A purge is answered with nothing.
  if (method === 'DELETE' && collection === 'deletedsecrets')
    return status === 204 ? undefined : 'it is no answer to a purge';
  const body = jsonIn(bodyAsText ?? '');
  if (collection === undefined && method === 'GET' && /\/secrets\/?$/.test(new URL(url).pathname))
    return listing.safeParse(body).success ? undefined : 'it is no list of secrets';
  if (versions !== undefined) {
    const page = listing.safeParse(body);
    return page.success && page.data.value.every(({ id }) => isOf(id, name)) ? undefined : 'it is no list of versions';
  }
  const secret = ofSecret.safeParse(body);
  return secret.success && isOf(secret.data.id, name) ? undefined : 'it names another secret';
}

/** The vault ignores case in names and answers the one that it keeps. */
const isOf = (id: string, name: string): boolean =>
  /\/(?:deleted)?secrets\/([^/]+)/i.exec(id)?.[1]?.toLowerCase() === name.toLowerCase();
