// Beyond the usual files: the SDK and the login library bound neither the time nor the size of a request; these policies do.
import type { PipelinePolicy, PipelineRequest, PipelineResponse, SendRequest } from '@azure/core-rest-pipeline';
import { byteCounter } from '../../network/answer-size.ts';
import { withinRequestTime } from '../frame/verb/request-time.ts';

/**
 * Bounds each request, its body included. Trap: the pipeline's own `timeout` ends when the headers are there, and the login
 * library passes no abort signal at all.
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
 * Ends a request whose answer is larger than one of the service, as it is after decompression. Trap: the pipeline reads each
 * answer to its end, whatever its size, and reports it only by this listener.
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

/** Sends the request with another signal, which it does not keep. */
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
