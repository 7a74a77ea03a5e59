import type { RawPageReply } from '#client/page.ts';
import { isObject, parseJson, textOf, textsOf, type Value } from '#client/wire/json.ts';
import { promptsOf } from '../../state/authorize.ts';

/** What the page does once the server has answered. `to` and `refusal` are addresses of the client, which the server has accepted. */
export type Next =
  | { readonly kind: 'leave'; readonly to: string }
  /** The client wants the visitor to choose. */
  | { readonly kind: 'choose'; readonly to: string; readonly refusal: string }
  /** The client wants a login that is newer than the session. */
  | { readonly kind: 'again'; readonly refusal: string }
  /** The browser must not go back to the client. Another caller may have the right that is missing. */
  | { readonly kind: 'stop'; readonly title: string; readonly why: string; readonly lacksRight?: true };

/** Decides by the request of the client and the reply of the server (OpenID Connect Core 1.0, 3.1.2). */
export function nextOf(search: URLSearchParams, { status, bytes }: Pick<RawPageReply, 'status' | 'bytes'>): Next {
  const body = documentOf(bytes);
  const code = textOf(body, 'code');
  const error = textOf(body, 'error');
  const address = status === 200 && code !== '' ? (search.get('redirect_uri') ?? '') : textOf(body, 'redirect_uri');
  if (address === '')
    return stop(status, error, textOf(body, 'error_description') || textsOf(body, 'errors').join('; '));
  if (!isOpenable(address))
    return { kind: 'stop', title: 'This address cannot be opened', why: `The application asks for ${address}.` };
  const back = (fields: Readonly<Record<string, string>>) =>
    withFields(address, { ...fields, state: search.get('state') });
  const refused = (word: string, why: string) => back({ error: word, error_description: why });
  const leave = (to: string): Next => ({ kind: 'leave', to });
  const prompts = promptsOf(search);
  const isSilent = prompts.length === 1 && prompts[0] === 'none';
  const mode = search.get('response_mode') ?? 'query';
  if (error === 'max_age_violation' && !isSilent)
    return { kind: 'again', refusal: refused('access_denied', 'the user did not log in again') };
  if (error === 'max_age_violation') return leave(refused('login_required', textOf(body, 'error_description')));
  if (error !== '') return leave(refused(error, textOf(body, 'error_description')));
  if (mode !== 'query') return leave(refused('invalid_request', 'response_mode is not supported: only query is'));
  if (prompts.includes('none') && !isSilent)
    return leave(refused('invalid_request', 'the prompt none cannot be combined with others'));
  const refusal = refused('access_denied', 'the user refused');
  if (prompts.includes('login')) return { kind: 'again', refusal };
  const to = back({ code });
  return prompts.includes('consent') || prompts.includes('select_account')
    ? { kind: 'choose', to, refusal }
    : leave(to);
}

function stop(status: number, error: string, why: string): Next {
  if (status === 403 && error === '')
    return {
      kind: 'stop',
      lacksRight: true,
      title: 'You may not log in at applications',
      why: 'Your policies do not grant "update" on the path authorize of this provider.',
    };
  const title = titles[error] ?? 'The application cannot log you in';
  return {
    kind: 'stop',
    title,
    why: `${error === '' ? '' : `${error}: `}${why || `the server replied with ${status}`}`,
  };
}

const titles: Readonly<Record<string, string>> = {
  invalid_client_id: 'This application is not known here',
  unauthorized_client: 'This application may not log in here',
  invalid_redirect_uri: 'The application wants you sent to an address that is not its own',
};

/** Schemes that would run in this page, or show what is no answer of the client. Applications have schemes of their own (RFC 8252, 7.1). */
const isOpenable = (address: string): boolean =>
  URL.canParse(address) &&
  !/^(?:javascript|data|blob|vbscript|file|filesystem|about|view-source|ws|wss|ftp):$/.test(new URL(address).protocol);

/** The address is not written anew: its own query stays as the client knows it. */
function withFields(address: string, fields: Readonly<Record<string, string | null>>): string {
  const given = Object.entries(fields).flatMap(([name, value]) => (value ? [[name, value] as [string, string]] : []));
  const [bare = ''] = address.split('#', 1);
  return `${bare}${bare.includes('?') ? '&' : '?'}${new URLSearchParams(given)}`;
}

function documentOf(bytes: Uint8Array): Value | undefined {
  try {
    const body = parseJson(new TextDecoder().decode(bytes));
    return isObject(body) ? body : undefined;
  } catch {
    return undefined;
  }
}
