import { createServer, type ServerResponse } from 'node:http';
import type { Config } from '#core/config.ts';
import { listenFailure } from '#core/log/listen-failure.ts';
import type { Exposition, Metrics } from './metrics.ts';

export interface MetricsServer {
  readonly port: number;
  close(): Promise<void>;
}

const connectionsMax = 32;
const requestMsMax = 5_000;
const headerBytesMax = 8_192;
const plain = 'text/plain; charset=utf-8';

/**
 * Serves `/metrics` and `/healthy` (liveness) for processes without an API. Undefined when no port is configured. There is no authentication,
 * so it listens on 127.0.0.1 unless configured otherwise.
 *
 * @throws ConfigError when the port is taken
 */
export async function serveMetrics(
  config: Pick<Config, 'KEYFERRY_METRICS_PORT' | 'KEYFERRY_METRICS_ADDRESS'>,
  metrics: Pick<Metrics, 'text'>,
): Promise<MetricsServer | undefined> {
  const { KEYFERRY_METRICS_PORT: port, KEYFERRY_METRICS_ADDRESS: host } = config;
  if (port === undefined) return undefined;
  const limits = {
    maxHeaderSize: headerBytesMax,
    requestTimeout: requestMsMax,
    headersTimeout: requestMsMax,
    keepAliveTimeout: requestMsMax,
  };
  const server = createServer(limits, (request, response) => {
    request.resume();
    void answerOf(metrics, request.method, request.url).then((answer) => send(response, answer));
  });
  server.maxConnections = connectionsMax;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject).listen(port, host, resolve);
  await promise.catch((cause: unknown) => {
    throw listenFailure(cause, 'KEYFERRY_METRICS_PORT', port);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

interface Answer extends Exposition {
  readonly status: number;
}

const plainAnswer = (status: number, body: string): Answer => ({ status, contentType: plain, body: `${body}\n` });

async function answerOf(metrics: Pick<Metrics, 'text'>, method = '', url = ''): Promise<Answer> {
  if (method !== 'GET' && method !== 'HEAD') return plainAnswer(405, 'only GET');
  const path = url.split('?', 1)[0];
  if (path === '/healthy') return plainAnswer(200, 'alive');
  if (path !== '/metrics') return plainAnswer(404, 'there are /metrics and /healthy');
  return metrics.text().then(
    (text) => ({ status: 200, ...text }),
    () => plainAnswer(500, 'the metrics could not be read'),
  );
}

function send(response: ServerResponse, { status, contentType, body }: Answer): void {
  const headers = {
    'content-type': contentType,
    'cache-control': 'no-store',
    'content-length': Buffer.byteLength(body),
  };
  // Node omits the body in replies to HEAD.
  response.writeHead(status, headers).end(body);
}
