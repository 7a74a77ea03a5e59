// Beyond the usual files: the SDK takes answers of something else for those of the vault, so each is checked in its pipeline.
import type { PipelinePolicy, PipelineRequest, PipelineResponse } from '@azure/core-rest-pipeline';
import { z } from 'zod';
import { StrangeAnswer } from '../../network/strange-answer.ts';
import { jsonIn } from '../frame/answer/json-in.ts';

/** A success has to speak of the secret that was asked for. The SDK fails on other answers with errors of the language, or not at all. */
export function answerPolicy(): PipelinePolicy {
  return {
    name: 'keyferry-answer',
    async sendRequest(request, next) {
      const response = await next(request);
      const problem = response.status < 300 ? problemOf(request, response) : undefined;
      if (problem !== undefined) throw new StrangeAnswer(problem);
      return response;
    },
  };
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
