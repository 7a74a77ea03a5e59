import { sampleParts, sampleServer } from './sample.ts';

/** Request headers of the sample's callers. */
export const root = { 'x-service-token': 'root' };
export const reader = { 'x-service-token': 'reader' };

/** Sends one request to a new server. */
export async function ask(
  method: string,
  url: string,
  more: { headers?: Record<string, string>; payload?: string } = {},
  parts = sampleParts(),
) {
  const { headers = root, payload } = more;
  const reply = await sampleServer(parts).inject({
    method,
    url,
    headers,
    ...(payload === undefined ? {} : { payload }),
  });
  return { status: reply.statusCode, headers: reply.headers, body: reply.body, json: () => JSON.parse(reply.body) };
}
