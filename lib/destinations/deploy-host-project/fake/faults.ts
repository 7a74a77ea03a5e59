import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Fault } from '../../fake.ts';

/** Answers a fault as the API does. Returns false when the call goes on, though its answer may still be lost. */
export function strike(fault: Fault | undefined, response: ServerResponse): boolean {
  switch (fault?.kind) {
    case undefined:
    case 'lost-answer':
      return false;
    case 'hang':
    case 'late':
      return true;
    case 'reset':
      response.destroy();
      return true;
    case 'throttle':
      throttle(response, fault.retryAfterSeconds ?? 1);
      return true;
    case 'unavailable':
      send(response, 503, { error: { code: 'service_unavailable', message: 'The service is unavailable' } });
      return true;
    case 'denied':
      send(response, 403, { error: { code: 'forbidden', message: 'Not authorized' } });
      return true;
    case 'credentials':
      send(response, 403, { error: { code: 'forbidden', message: 'Not authorized', invalidToken: true } });
      return true;
  }
}

/** https://vercel.com/docs/rest-api/errors: `reset` is in seconds since 1970. */
function throttle(response: ServerResponse, seconds: number): void {
  const resetMs = Date.now() + seconds * 1000;
  const limit = { total: 120, remaining: 0, reset: Math.ceil(resetMs / 1000), resetMs };
  response.setHeader('retry-after', String(seconds));
  send(response, 429, { error: { code: 'rate_limited', message: 'Too many requests', limit } });
}

export function send(response: ServerResponse, status: number, body: unknown): void {
  response.setHeader('x-vercel-id', `fra1::iad1::${randomUUID()}`);
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
}
