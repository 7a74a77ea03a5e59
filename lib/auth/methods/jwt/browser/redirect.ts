/** A redirect URI, and the namespace that it named. */
export interface Redirect {
  readonly uri: string;
  /** Empty when it named none. */
  readonly namespace: string;
}

/** Removes the parameter `namespace` of a redirect URI, so that a provider needs one URI for all namespaces. */
export function withoutNamespace(uri: string): Redirect {
  const url = URL.parse(uri);
  const namespace = url?.searchParams.get('namespace') ?? '';
  if (url === null || namespace === '') return { uri, namespace: '' };
  url.searchParams.delete('namespace');
  return { uri: url.href, namespace };
}

const loopback = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Whether a role allows a redirect URI: it is one of those of the role, character by character. A client listens on any free port of
 * its own machine, so the port of a loopback address does not matter (RFC 8252, section 7.3).
 */
export function isAllowedRedirect(uri: string, allowed: readonly string[]): boolean {
  if (allowed.includes(uri)) return true;
  const wanted = anyPort(uri);
  return wanted !== undefined && allowed.some((one) => anyPort(one) === wanted);
}

/** The URI of a loopback address without its port. Undefined for any other. */
function anyPort(uri: string): string | undefined {
  const url = URL.parse(uri);
  if (url === null || !loopback.includes(url.hostname) || url.username !== '' || url.password !== '') return undefined;
  url.port = '';
  return url.href;
}
