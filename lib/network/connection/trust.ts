import { createSecureContext, type SecureContext } from 'node:tls';
import type { NetworkPolicy } from '../policy.ts';

/** Contexts in use, by the certificates they trust in addition to Node's or instead of them. */
const shared = new Map<string, WeakRef<SecureContext>>();

const forget = new FinalizationRegistry((key: string) => {
  if (shared.get(key)?.deref() === undefined) shared.delete(key);
});

/**
 * A context with the policy's certificates in addition to Node's (which include NODE_EXTRA_CA_CERTS), or instead of them. Undefined
 * when Node's defaults suffice.
 *
 * Clients with the same trust share one context: its memory lies outside the heap, where the garbage collector does not account for
 * it, and every change of a destination opens a new client.
 */
export function trust({ caCertificates, caCertificatesOnly }: NetworkPolicy): SecureContext | undefined {
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
 * Adds certificates to a context with Node's own, which all contexts share. The option `ca` would replace them: with
 * `getCACertificates()` it builds an equivalent context, but with its own copy of about 150 certificates (1.2 MB).
 */
function contextWith(certificates: string): SecureContext {
  const context = createSecureContext();
  context.context.addCACert(certificates);
  return context;
}
