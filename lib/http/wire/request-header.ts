import type { Engine } from '../../path/contract/engine.ts';
import { systemMount } from '../secrets/engines.ts';
import type { HttpParts } from '../secrets/parts.ts';
import type { Pipeline } from '../secrets/pipeline.ts';
import { prefix } from '../secrets/request/address.ts';
import { header, type Incoming, type Outgoing } from './exchange.ts';

const names = ['x-service-request', 'x-vault-request'];

/**
 * Refuses requests without a header that every client sends and a forged request of a browser or of another server cannot
 * have. The preflight requests of browsers have no such header, and neither have those of health checks and scrapers.
 */
export function withRequestHeader(
  { requestHeaderRequired, engines }: Pick<HttpParts, 'requestHeaderRequired' | 'engines'>,
  pipeline: Pipeline,
): Pipeline {
  if (requestHeaderRequired !== true) return pipeline;
  const exempt = probePaths(engines);
  return (incoming) => (isRefused(incoming, exempt) ? Promise.resolve(refusal) : pipeline(incoming));
}

/** The URLs of the rows that are made for probes. */
function probePaths(engines: readonly Engine[]): ReadonlySet<string> {
  const rows = engines.filter(({ type }) => type === systemMount.type).flatMap((engine) => engine.rows);
  const probed = rows.filter(({ operations }) => operations.read?.marks.forProbes === true);
  return new Set(probed.map(({ pattern }) => `${prefix}${systemMount.path}${pattern}`));
}

function isRefused({ method, url, headers }: Incoming, exempt: ReadonlySet<string>): boolean {
  if (method === 'OPTIONS' || names.some((name) => header(headers, name) === 'true')) return false;
  return !((method === 'GET' || method === 'HEAD') && exempt.has(url.split('?', 1)[0] ?? ''));
}

const refusal: Outgoing = {
  status: 412,
  body: JSON.stringify({ errors: ["missing 'X-Service-Request' or 'X-Vault-Request' header"] }),
};
