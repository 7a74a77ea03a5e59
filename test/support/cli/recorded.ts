import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** Passes reading requests on to a service, and records their paths. */
export async function recorded(service: { readonly address: string }) {
  const paths: string[] = [];
  const server = createServer(async ({ method = 'GET', url = '', headers }, reply) => {
    paths.push(url);
    const token = headers['x-service-token'];
    const answer = await fetch(`${service.address}${url}`, {
      method,
      headers: typeof token === 'string' ? { 'x-service-token': token } : {},
    });
    const type = answer.headers.get('content-type') ?? 'application/json';
    reply.writeHead(answer.status, { 'content-type': type }).end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
  });
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, paths };
}
