import { signal } from '@preact/signals';
import { openPageClient } from '#client/page.ts';

const key = 'keyferry-namespace';

/** The namespace of all calls, with which each tab begins again where it was. Empty for the root. */
export const namespace = signal(sessionStorage.getItem(key) ?? '');

export function enterNamespace(path: string): void {
  namespace.value = path.replace(/^\/+|\/+$/g, '');
  sessionStorage.setItem(key, namespace.value);
}

export const api = openPageClient(() => namespace.value);
