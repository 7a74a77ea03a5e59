// Beyond the usual files: the SDK and the login library limit neither the time nor the size of a request, so these policies do.
import type { PipelinePolicy, PipelineRequest, PipelineResponse, SendRequest } from '@azure/core-rest-pipeline';
import { byteCounter } from '#network/answer-size.ts';
import { withinRequestTime } from '../../frame/verb/request-time.ts';

/**
 * Limits the time of each request, including the body of its answer. Trap: the pipeline's own `timeout` ends with the headers, and
 * the login library passes no abort signal at all.
 *
 * @throws RequestTimeout instead of the request's failure
 */
export function deadlinePolicy(requestMs: number): PipelinePolicy {
  return {
    name: 'keyferry-deadline',
    sendRequest: (request, next) =>
      withinRequestTime(requestMs, signalOf(request), (ends) => sendWith(request, ends, next)),
  };
}

/**
 * Ends a request whose answer, after decompression, is larger than any answer of the service. Trap: the pipeline reads every answer
 * to its end, whatever its size, and reports the size only to this listener.
 */
export function sizePolicy(): PipelinePolicy {
  return {
    name: 'keyferry-size',
    async sendRequest(request, next) {
      const given = signalOf(request);
      const tooLarge = new AbortController();
      watchSize(request, (error) => tooLarge.abort(error));
      const ends = given === undefined ? tooLarge.signal : AbortSignal.any([given, tooLarge.signal]);
      try {
        return await sendWith(request, ends, next);
      } catch (error) {
        throw tooLarge.signal.aborted ? tooLarge.signal.reason : error;
      }
    },
  };
}

const signalOf = ({ abortSignal }: PipelineRequest): AbortSignal | undefined =>
  abortSignal instanceof AbortSignal ? abortSignal : undefined;

/** Sends the request with another signal, and then restores its own. */
async function sendWith(request: PipelineRequest, signal: AbortSignal, next: SendRequest): Promise<PipelineResponse> {
  const { abortSignal } = request;
  request.abortSignal = signal;
  try {
    return await next(request);
  } finally {
    if (abortSignal === undefined) delete request.abortSignal;
    else request.abortSignal = abortSignal;
  }
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
