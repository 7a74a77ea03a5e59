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

/** The values of the parameter `prompt`. */
export const promptsOf = (search: URLSearchParams): readonly string[] =>
  (search.get('prompt') ?? '').split(' ').filter((one) => one !== '');
