import { signal } from '@preact/signals';

/** A login that the browser has left the page for. It is kept for its tab, without anything that a token could be had with. */
export interface LeftFor {
  readonly mount: string;
  readonly namespace: string;
  readonly state: string;
  readonly nonce: string;
  /** Where the visitor was. */
  readonly back: string;
}

/** What the provider has sent back. */
export interface Returned extends LeftFor {
  readonly code: string;
  readonly error: string;
  readonly issuer: string;
}

const key = 'keyferry-login';
/** Where providers send the browser back to. */
export const callbackPath = '/ui/callback';

/** A login that came back, until it is tried. `foreign` was not begun in this tab, or is another one than was begun last. */
export const returned = signal<Returned | 'foreign' | undefined>(undefined);

export function leave(login: LeftFor): void {
  sessionStorage.setItem(key, JSON.stringify(login));
}

/** Takes the answer of a provider out of the address, so that neither a reload nor the history has it. */
export function takeReturned(): void {
  if (location.pathname !== callbackPath) return;
  const answer = new URLSearchParams(location.search);
  const kept = keptLogin();
  sessionStorage.removeItem(key);
  history.replaceState(null, '', kept?.back ?? '/ui/');
  if (kept === undefined || kept.state !== answer.get('state')) {
    returned.value = 'foreign';
    return;
  }
  const of = (name: string) => answer.get(name) ?? '';
  returned.value = { ...kept, code: of('code'), error: of('error'), issuer: of('iss') };
}

function keptLogin(): LeftFor | undefined {
  try {
    const kept = JSON.parse(sessionStorage.getItem(key) ?? '') as LeftFor;
    return kept.back.startsWith('/ui/') ? kept : undefined;
  } catch {
    return undefined;
  }
}
