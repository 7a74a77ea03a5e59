import type { Pipeline } from '../secrets/pipeline.ts';
import { header, type Incoming, type Outgoing } from './exchange.ts';

const names = ['x-service-request', 'x-vault-request'];

/**
 * Refuses requests without a header that every client sends and a forged request of a browser or of another server cannot
 * have. A browser's question what a page may do has no such header.
 */
export const withRequestHeader = (required: boolean, pipeline: Pipeline): Pipeline =>
  required ? (incoming) => (isRefused(incoming) ? Promise.resolve(refusal) : pipeline(incoming)) : pipeline;

const isRefused = ({ method, headers }: Incoming): boolean =>
  method !== 'OPTIONS' && !names.some((name) => header(headers, name) === 'true');

const refusal: Outgoing = {
  status: 412,
  body: JSON.stringify({ errors: ["missing 'X-Service-Request' or 'X-Vault-Request' header"] }),
};
