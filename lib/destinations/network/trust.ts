import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import type { NetworkPolicy } from './policy.ts';

/**
 * The policy's certificates beside Node's own (which hold NODE_EXTRA_CA_CERTS too). Made once per client: parsing some 150
 * certificates for each connection would cost more than the handshake. Undefined: Node's defaults are enough.
 */
export function trust({ caCertificates }: NetworkPolicy): SecureContext | undefined {
  if (caCertificates === undefined || caCertificates === '') return undefined;
  return createSecureContext({ ca: [...getCACertificates('default'), caCertificates] });
}
