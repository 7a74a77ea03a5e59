import type { Engine } from '#path/contract/engine.ts';
import { withCrossOrigin } from '../server/cors.ts';
import { failure } from '../server/failure.ts';
import type { Service } from '../server/parts.ts';
import { header, type Incoming, type Outgoing, type Pipeline } from '../wire/exchange.ts';
import { systemMount } from './engines.ts';
import type { V1Parts } from './parts.ts';
import { createPipeline } from './pipeline.ts';
import { headerVocabulary, prefix } from './request/address.ts';

/** The secrets API, below `/v1/`. */
export function secretsService(parts: V1Parts): Service {
  const refuse: Service['refuse'] = (error, { requestId, headers }) =>
    failure(error, { requestId, vocabulary: headerVocabulary(headers), typeNames: parts.typeNames, log: parts.log });
  const pages = { read: parts.crossOrigin, msMax: parts.requestTimeoutMs, refuse };
  const header = { required: parts.requestHeaderRequired, exempt: probeUrls(parts.engines) };
  return {
    urls: [`${prefix}*`],
    owns: (url) => url.startsWith(prefix),
    pipeline: withRequestHeader(header, withCrossOrigin(pages, createPipeline(parts))),
    refuse,
  };
}

/** URLs of the operations that health checks and scrapers call. */
function probeUrls(engines: readonly Engine[]): ReadonlySet<string> {
  const rows = engines.filter(({ type }) => type === systemMount.type).flatMap((engine) => engine.rows);
  const probed = rows.filter(({ operations }) => operations.read?.marks.forProbes === true);
  return new Set(probed.map(({ pattern }) => `${prefix}${systemMount.path}${pattern}`));
}

const requestHeaders = ['x-service-request', 'x-vault-request'];

/**
 * Refuses requests without a header that every client sends and that a forged request (by a browser or through another server)
 * cannot carry. Preflight requests of browsers and requests for the exempt URLs need no header.
 */
function withRequestHeader(
  { required, exempt }: { readonly required: boolean; readonly exempt: ReadonlySet<string> },
  pipeline: Pipeline,
): Pipeline {
  if (!required) return pipeline;
  return (incoming) => (isRefused(incoming, exempt) ? Promise.resolve(headerMissing) : pipeline(incoming));
}

function isRefused({ method, url, headers }: Incoming, exempt: ReadonlySet<string>): boolean {
  if (method === 'OPTIONS' || requestHeaders.some((name) => header(headers, name) === 'true')) return false;
  return !((method === 'GET' || method === 'HEAD') && exempt.has(url.split('?', 1)[0] ?? ''));
}

const headerMissing: Outgoing = {
  status: 412,
  body: JSON.stringify({ errors: ["missing 'X-Service-Request' or 'X-Vault-Request' header"] }),
};
