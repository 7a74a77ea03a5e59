import { z } from 'zod';
import { apiFunction } from '#app.ts';
import { eachOf } from '#core/concurrency/each-of.ts';
import type { LambdaHttpEvent } from '#http/wire/lambda.ts';
import { serveParent } from './parent.ts';

const parameters = z.object({ databaseUrl: z.string(), count: z.int(), path: z.string(), token: z.string() });

/**
 * Instances of the API's function, each with its own connections, in one process to save memory. A question is one event for each
 * of them: `start` one after another, because here they share processors that each would have on a platform, and `event` all at
 * once. The answer says with which status and after how many milliseconds each was answered.
 */
await serveParent(parameters, async ({ databaseUrl, count, path, token }) => {
  // As a platform sets it for a function.
  process.env['DATABASE_URL'] = databaseUrl;
  const instances = Array.from({ length: count }, () => apiFunction());
  const event = requestEvent(path, token);
  return {
    ready: {},
    async answer(question) {
      const width = question === 'start' ? 1 : instances.length;
      const answers: { readonly status: number; readonly ms: number }[] = [];
      await eachOf(instances, width, async (handle) => {
        const began = performance.now();
        const status = await handle(event).then(
          ({ statusCode }) => statusCode,
          () => 0,
        );
        answers.push({ status, ms: performance.now() - began });
      });
      return { answers };
    },
    async close() {},
  };
});

/** A request as an HTTP API passes it on (payload format 2.0). */
function requestEvent(path: string, token: string): LambdaHttpEvent {
  return {
    rawPath: path,
    rawQueryString: '',
    headers: { 'x-service-token': token },
    requestContext: { http: { method: 'GET', sourceIp: '192.0.2.1' } },
    isBase64Encoded: false,
  };
}
