import { promptsOf, providerAt } from './authorize.ts';

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
