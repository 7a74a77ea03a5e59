import { createSecureContext, type SecureContext } from 'node:tls';
import type { NetworkPolicy } from '../policy.ts';

/** Contexts that are in use, by the certificates that they trust, beside Node's own or instead of them. */
const shared = new Map<string, WeakRef<SecureContext>>();

const forget = new FinalizationRegistry((key: string) => {
  if (shared.get(key)?.deref() === undefined) shared.delete(key);
});

/**
 * The policy's certificates beside Node's own (which hold NODE_EXTRA_CA_CERTS too), or instead of them. Undefined: Node's
 * defaults are enough.
 *
 * One context for all clients that trust the same: what it holds lies outside of the heap, where the collector does not see
 * how much it is, and clients are opened anew with every change of a destination.
 */
export function trust({ caCertificates, caCertificatesOnly = false }: NetworkPolicy): SecureContext | undefined {
  if (caCertificates === undefined || caCertificates === '') return undefined;
  const key = `${caCertificatesOnly ? 'only' : 'beside'} ${caCertificates}`;
  const known = shared.get(key)?.deref();
  if (known !== undefined) return known;
  const context = caCertificatesOnly ? createSecureContext({ ca: caCertificates }) : contextWith(caCertificates);
  shared.set(key, new WeakRef(context));
  forget.register(context, key);
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
