import { type Config, ConfigError, largeBodiesBytesMax } from '#core/config.ts';
import { partOf } from '#core/log/log.ts';
import type { InFlight } from '#http/server/observe/in-flight.ts';
import type { ServerParts } from '#http/server/parts.ts';
import { createServer, type HttpServer } from '#http/server/server.ts';
import { requestTelemetry } from '#telemetry/requests.ts';
import type { Base } from './base.ts';

/** The server of these services. */
export const openServer = (
  { config, log, shared }: Base,
  { services, inFlight }: { readonly services: ServerParts['services']; readonly inFlight: InFlight },
): HttpServer =>
  createServer({
    services,
    inFlight,
    log: partOf(log, 'http'),
    telemetry: requestTelemetry(shared),
    accessLogLevel: config.KEYFERRY_ACCESS_LOG_LEVEL,
    largeBodiesBytesMax: largeBodiesBytesMax(config),
    requestTimeoutMs: config.KEYFERRY_REQUEST_MS_MAX,
    trustedProxies: config.KEYFERRY_TRUSTED_PROXIES,
  });

/** @throws ConfigError when only one of the two files is set */
export function tlsOf(config: Config) {
  const certificateFile = config.KEYFERRY_TLS_CERT_FILE;
  const keyFile = config.KEYFERRY_TLS_KEY_FILE;
  if (certificateFile !== undefined && keyFile !== undefined) return { tls: { certificateFile, keyFile } };
  if (certificateFile === undefined && keyFile === undefined) return {};
  throw new ConfigError('KEYFERRY_TLS_CERT_FILE and KEYFERRY_TLS_KEY_FILE must be set together');
}
