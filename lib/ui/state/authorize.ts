/** The address that the discovery document of a provider names, in which the namespace comes before `identity`. */
const place = /^\/ui\/vault\/(?:(.+)\/)?identity\/oidc\/provider\/([^/]+)\/authorize\/?$/;

/** The provider that an address of the page belongs to, and its namespace. Undefined for any other address. */
export function providerAt(path: string): { readonly namespace: string; readonly provider: string } | undefined {
  const [, namespace = '', provider] = place.exec(path) ?? [];
  if (provider === undefined) return undefined;
  try {
    return { namespace: decodeURIComponent(namespace), provider: decodeURIComponent(provider) };
  } catch {
    return undefined;
  }
}

/**
 * The values of `prompt` that a login of the visitor fulfils are taken out of the address, so that it is asked for once. A client that must be
 * sure of it asks for `max_age`, which the server checks.
 */
export function fulfilPrompt(): void {
  if (providerAt(location.pathname) === undefined) return;
  const search = new URLSearchParams(location.search);
  const left = promptsOf(search).filter((one) => one === 'consent');
  if (left.length > 0) search.set('prompt', left.join(' '));
  else search.delete('prompt');
  history.replaceState(null, '', `${location.pathname}?${search}`);
}

export const promptsOf = (search: URLSearchParams): readonly string[] =>
  (search.get('prompt') ?? '').split(' ').filter((one) => one !== '');
