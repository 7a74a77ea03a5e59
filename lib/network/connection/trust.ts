import { createSecureContext, type SecureContext } from 'node:tls';
import type { NetworkPolicy } from '../policy.ts';

/** Contexts that are in use, by the certificates that they trust beside Node's own. */
const shared = new Map<string, WeakRef<SecureContext>>();

const forget = new FinalizationRegistry((certificates: string) => {
  if (shared.get(certificates)?.deref() === undefined) shared.delete(certificates);
});

/**
 * The policy's certificates beside Node's own (which hold NODE_EXTRA_CA_CERTS too). Undefined: Node's defaults are enough.
 *
 * One context for all clients that trust the same: what it holds lies outside of the heap, where the collector does not see
 * how much it is, and clients are opened anew with every change of a destination.
 */
export function trust({ caCertificates }: NetworkPolicy): SecureContext | undefined {
  if (caCertificates === undefined || caCertificates === '') return undefined;
  const known = shared.get(caCertificates)?.deref();
  if (known !== undefined) return known;
  const context = contextWith(caCertificates);
  shared.set(caCertificates, new WeakRef(context));
  forget.register(context, caCertificates);
  return context;
}

/**
 * Added to a context that has Node's own certificates, which all contexts share. The option `ca` replaces them: together with
 * `getCACertificates()` it makes the same context with a copy of some 150 certificates, 1.2 MB each.
 */
function contextWith(certificates: string): SecureContext {
  const context = createSecureContext();
  context.context.addCACert(certificates);
  return context;
}
