import type { PipelinePolicy } from '@azure/core-rest-pipeline';

/** One request did not come back in time. */
export class RequestTimeout extends Error {
  constructor(host: string, requestMs: number) {
    super(`${host} did not answer within ${requestMs} ms`);
    this.name = 'RequestTimeout';
  }
}

/**
 * Bounds each request, its body included. Trap: the pipeline's own `timeout` ends when the headers are there, and the login
 * library passes no abort signal at all.
 */
export function deadlinePolicy(requestMs: number): PipelinePolicy {
  return {
    name: 'keyferry-deadline',
    async sendRequest(request, next) {
      const given = request.abortSignal;
      const deadline = AbortSignal.timeout(requestMs);
      request.abortSignal = given instanceof AbortSignal ? AbortSignal.any([given, deadline]) : deadline;
      try {
        return await next(request);
      } catch (error) {
        if (deadline.aborted && given?.aborted !== true) throw new RequestTimeout(new URL(request.url).host, requestMs);
        throw error;
      } finally {
        if (given === undefined) delete request.abortSignal;
        else request.abortSignal = given;
      }
    },
  };
}
