import { badRequest } from '#core/errors.ts';
import type { Service } from '../server/parts.ts';
import { type Headers, header, type Incoming, type Outgoing } from '../wire/exchange.ts';
import { cookiesOf, mayBegin, tokenIn } from './cookie.ts';
import { unlessUnchanged } from './unchanged.ts';

/** How a service takes a token: the header, and its value. */
export type TokenHeader = (token: string) => readonly [name: string, value: string];

/** How long a session lasts unless the page renews it. */
const secondsMax = 8 * 3_600;

/**
 * A service with the sessions of the web page. A session is a token in a cookie that scripts cannot read. The cookie counts only in
 * requests of the page itself: with the header `X-Keyferry-UI`, which a form of another site cannot send, and with `Sec-Fetch-Site:
 * same-origin`, which browsers set and no script can. Everything after that is as with a token in a header: audit, quotas, namespaces,
 * policies. `X-Keyferry-Session: begin` moves the token of the reply (of a login, of a renewal) into the cookie; `end` removes the
 * cookie. The token of a cookie is never part of a reply.
 */
export function withSession(service: Service, as: TokenHeader): Service {
  return {
    ...service,
    async pipeline(incoming) {
      const { headers } = incoming;
      const wish = header(headers, 'x-keyferry-session');
      if (!isOfPage(headers)) {
        if (wish === undefined) return service.pipeline(withoutCookie(incoming));
        return service.refuse(badRequest(elsewhere), incoming);
      }
      if (wish === 'begin' && !mayBegin(incoming)) return service.refuse(badRequest(elsewhere), incoming);
      const token = namesToken(headers) ? undefined : tokenIn(incoming)?.reveal();
      const outgoing = await service.pipeline(asSent(incoming, token === undefined ? undefined : as(token)));
      if (wish !== undefined) return withoutToken(moved(incoming, outgoing, wish), token);
      return unlessUnchanged(incoming, withoutToken(outgoing, token));
    },
  };
}

const elsewhere = 'a session of the web page needs TLS, or an address of this machine such as http://127.0.0.1:8200';

const isOfPage = (headers: Headers): boolean =>
  header(headers, 'x-keyferry-ui') === '1' && header(headers, 'sec-fetch-site') === 'same-origin';

const namesToken = (headers: Headers): boolean =>
  ['x-service-token', 'x-vault-token', 'authorization'].some((name) => header(headers, name) !== undefined);

/** No stage, and no audit device that records headers, sees the cookie. */
function withoutCookie(incoming: Incoming): Incoming {
  if (header(incoming.headers, 'cookie') === undefined) return incoming;
  const { cookie: _cookie, ...headers } = incoming.headers;
  return { ...incoming, headers };
}

/** The origin is that of this service, so the rules for pages of other origins do not concern the request. */
function asSent(incoming: Incoming, token: ReturnType<TokenHeader> | undefined): Incoming {
  const { cookie: _cookie, origin: _origin, ...headers } = incoming.headers;
  return { ...incoming, headers: token === undefined ? headers : { ...headers, [token[0]]: token[1] } };
}

function moved(incoming: Incoming, outgoing: Outgoing, wish: string): Outgoing {
  if (wish === 'end') return isUntried(outgoing) ? outgoing : { ...outgoing, cookies: cookiesOf(incoming, '', 0) };
  const document = wish === 'begin' && outgoing.status === 200 ? documentOf(outgoing.body) : undefined;
  const auth = document?.auth;
  if (typeof auth?.client_token !== 'string' || auth.client_token === '') return outgoing;
  const seconds = Math.min(auth.lease_duration || secondsMax, secondsMax);
  return {
    ...outgoing,
    body: JSON.stringify({ ...document, auth: { ...auth, client_token: '' } }),
    cookies: cookiesOf(incoming, auth.client_token, seconds),
  };
}

/** The token is as valid as before, so the page keeps what it needs to try again. */
const isUntried = ({ status }: Outgoing): boolean => status >= 500 || status === 429;

interface Document {
  readonly auth?: { readonly client_token?: unknown; readonly lease_duration: number } | null;
}

/** Replies with a token are short texts. */
const documentOf = (body: Outgoing['body']): Document | undefined =>
  typeof body === 'string' ? (JSON.parse(body) as Document) : undefined;

/** A look-up or a renewal of the caller's own token repeats it, and scripts of the page must not learn it. */
function withoutToken(outgoing: Outgoing, token: string | undefined): Outgoing {
  if (token === undefined || typeof outgoing.body !== 'string' || !outgoing.body.includes(token)) return outgoing;
  return { ...outgoing, body: outgoing.body.replaceAll(token, '') };
}
