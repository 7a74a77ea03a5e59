import { z } from 'zod';
import { apiFunction } from '../../../lib/app.ts';
import type { LambdaHttpEvent } from '../../../lib/http/wire/lambda.ts';
import { serveParent } from './parent.ts';

const parameters = z.object({ databaseUrl: z.string(), count: z.int(), path: z.string(), token: z.string() });

/**
 * Instances of the API's function, each with connections of its own, in one process to save memory. The question, whatever it is, is one
 * event for each of them, all at once; the answer says with which status and after how many milliseconds each was answered.
 */
await serveParent(parameters, async ({ databaseUrl, count, path, token }) => {
  // As the platform gives it to a function.
  process.env['DATABASE_URL'] = databaseUrl;
  const instances = Array.from({ length: count }, () => apiFunction());
  const event = requestEvent(path, token);
  return {
    ready: {},
    async answer() {
      const answers = await Promise.all(
        instances.map(async (handle) => {
          const began = performance.now();
          const status = await handle(event).then(
            ({ statusCode }) => statusCode,
            () => 0,
          );
          return { status, ms: performance.now() - began };
        }),
      );
      return { answers };
    },
    async close() {},
  };
});

/** A request as an HTTP API hands it on (payload format 2.0). */
function requestEvent(path: string, token: string): LambdaHttpEvent {
  return {
    rawPath: path,
    rawQueryString: '',
    headers: { 'x-service-token': token },
    requestContext: { http: { method: 'GET', sourceIp: '192.0.2.1' } },
    isBase64Encoded: false,
  };
}
