import { createServer, request } from 'node:http';
import type { Fake } from '#destinations/fake.ts';

/** A proxy in front of a stand-in that counts the calls by the application id that a worker's SDK sends. */
export interface Counter {
  /** The body of a destination that goes through the proxy. */
  readonly destination: Readonly<Record<string, unknown>>;
  /** The number of calls of the worker with this `AWS_SDK_UA_APP_ID`. */
  calls(application: string): number;
  close(): Promise<void>;
}

export async function startCounter(fake: Fake): Promise<Counter> {
  const counts = new Map<string, number>();
  const server = createServer((incoming, response) => {
    const application = / app\/(\S+)/.exec(
      `${incoming.headers['user-agent']} ${incoming.headers['x-amz-user-agent']}`,
    )?.[1];
    counts.set(application ?? '', (counts.get(application ?? '') ?? 0) + 1);
    const { hostname, port } = new URL(fake.url);
    // The headers are forwarded unchanged, because the signature covers the host too.
    const { method, url, headers } = incoming;
    const out = request({ hostname, port, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    out.once('error', () => response.destroy());
    incoming.pipe(out);
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    destination: { ...fake.destination, endpoint: `http://127.0.0.1:${port}`, allowed_ports: [port] },
    calls: (application) => counts.get(application) ?? 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
