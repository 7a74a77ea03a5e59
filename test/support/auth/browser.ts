import { Agent, fetch } from 'undici';
import type { HttpsServer } from './https-server.ts';

/** Where a browser ended: at an address outside of the provider, or at a page without a form. */
export interface Landing {
  readonly url: URL;
  /** The fields of a form for an address outside of the provider, which its page sends by script. */
  readonly form?: Readonly<Record<string, string>>;
  readonly text: string;
}

const stepsMax = 20;
const user = { login: 'ada', password: 'any' };

/** Follows redirects and fills in the forms of a provider, as its user does. */
export async function browse(provider: Pick<HttpsServer, 'address' | 'certificate'>, start: string): Promise<Landing> {
  const dispatcher = new Agent({ connect: { ca: provider.certificate } });
  const cookies = new Map<string, string>();
  let next: { readonly url: URL; readonly form?: Readonly<Record<string, string>> } = { url: new URL(start) };
  try {
    for (let step = 0; step < stepsMax; step += 1) {
      if (next.url.origin !== provider.address) return { ...next, text: '' };
      const answer = await fetch(next.url, {
        dispatcher,
        redirect: 'manual',
        headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
        ...(next.form === undefined ? {} : { method: 'POST', body: new URLSearchParams({ ...next.form }) }),
      });
      for (const line of answer.headers.getSetCookie()) keepCookie(cookies, line);
      const text = await answer.text();
      const location = answer.headers.get('location');
      const form = location === null ? formOf(text, next.url) : undefined;
      if (location === null && form === undefined) return { url: next.url, text };
      next = form ?? { url: new URL(location ?? '', next.url) };
    }
  } finally {
    await dispatcher.close();
  }
  throw new Error(`the provider did not end the login within ${stepsMax} steps`);
}

function keepCookie(cookies: Map<string, string>, line: string): void {
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
  if (value === '') cookies.delete(name);
  else cookies.set(name, value);
}

/** The first form of a page, with the user's name and password. */
function formOf(page: string, at: URL) {
  const [, head = '', body = ''] = /<form([^>]*)>([\s\S]*?)<\/form>/i.exec(page) ?? [];
  const action = attribute(head, 'action');
  if (action === undefined) return undefined;
  const inputs = [...body.matchAll(/<input([^>]*)>/gi)].flatMap(([, text = '']) => {
    const name = attribute(text, 'name');
    return name === undefined ? [] : [[name, attribute(text, 'value') ?? ''] as const];
  });
  const fields = Object.fromEntries(inputs);
  const filled = Object.fromEntries(Object.entries(user).filter(([name]) => name in fields));
  return { url: new URL(action, at), form: { ...fields, ...filled } };
}

const attribute = (text: string, name: string): string | undefined =>
  new RegExp(`\\b${name}="([^"]*)"`, 'i').exec(text)?.[1]?.replaceAll('&amp;', '&');
