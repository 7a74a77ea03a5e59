import type { PipelinePolicy, PipelineRequest, PipelineResponse } from '@azure/core-rest-pipeline';
import { z } from 'zod';
import { byteCounter } from '../../network/answer-size.ts';
import { StrangeAnswer } from '../../network/strange-answer.ts';

/**
 * Ends a request whose answer is larger than one of the service, as it is after decompression. Trap: the pipeline reads each
 * answer to its end, whatever its size, and tells of it only by this listener.
 */
export function sizePolicy(): PipelinePolicy {
  return {
    name: 'keyferry-size',
    async sendRequest(request, next) {
      const { abortSignal } = request;
      const tooLarge = new AbortController();
      request.abortSignal =
        abortSignal instanceof AbortSignal ? AbortSignal.any([abortSignal, tooLarge.signal]) : tooLarge.signal;
      watchSize(request, (error) => tooLarge.abort(error));
      try {
        return await next(request);
      } catch (error) {
        throw tooLarge.signal.aborted ? tooLarge.signal.reason : error;
      } finally {
        if (abortSignal === undefined) delete request.abortSignal;
        else request.abortSignal = abortSignal;
      }
    },
  };
}

function watchSize(request: PipelineRequest, exceed: (error: unknown) => void): void {
  const count = byteCounter();
  let known = 0;
  request.onDownloadProgress = ({ loadedBytes }) => {
    try {
      count(loadedBytes - known);
    } catch (error) {
      exceed(error);
      throw error;
    }
    known = loadedBytes;
  };
}

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
  const body = parsed(bodyAsText ?? '');
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

/** Undefined: not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
