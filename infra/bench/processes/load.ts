import autocannon from 'autocannon';
import { z } from 'zod';
import { serveParent } from './parent.ts';

const parameters = z.object({
  address: z.string(),
  method: z.enum(['GET', 'POST']),
  /** A number from 0 to `count - 1` follows, a different one in each request. */
  path: z.string(),
  count: z.int(),
  body: z.string().optional(),
  headers: z.record(z.string(), z.string()),
  connections: z.int(),
});

/** Sends requests to an HTTP server as fast as it answers, over persistent connections. The question is the number of seconds. */
await serveParent(parameters, async ({ address, method, path, count, body, headers, connections }) => ({
  ready: {},
  async answer(seconds) {
    const anyPath = () => `${path}${Math.floor(Math.random() * count)}`;
    const result = await autocannon({
      url: address,
      connections,
      method,
      headers,
      body,
      duration: Number(seconds),
      requests: [{ setupRequest: (request) => ({ ...request, path: anyPath() }) }],
    });
    const failed = result.non2xx + result.errors + result.timeouts;
    return { count: result['2xx'], perSecond: result['2xx'] / result.duration, failed };
  },
  async close() {},
}));
