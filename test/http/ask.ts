import { createServer } from '../../lib/http/wire/server.ts';
import { sampleParts } from './sample.ts';

/** Headers of the sample's callers. */
export const root = { 'x-service-token': 'root' };
export const reader = { 'x-service-token': 'reader' };

/** One request to a server of its own. */
export async function ask(
  method: string,
  url: string,
  more: { headers?: Record<string, string>; payload?: string } = {},
  parts = sampleParts(),
) {
  const { headers = root, payload } = more;
  const reply = await createServer(parts).inject({
    method,
    url,
    headers,
    ...(payload === undefined ? {} : { payload }),
  });
  return { status: reply.statusCode, headers: reply.headers, body: reply.body, json: () => JSON.parse(reply.body) };
}
