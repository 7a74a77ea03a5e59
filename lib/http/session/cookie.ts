import { Secret } from '#core/secret.ts';
import { header, type Incoming } from '../wire/exchange.ts';

/** The cookie for connections with TLS: browsers send it over nothing else, and no page without TLS can set it. */
const secureName = '__Secure-keyferry';
/** Where no browser calls: everything else below these paths has no session. */
const paths = ['/v1', '/api/v2'];

const loopback = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::(\d{1,5}))?$/i;

/** The name of the cookie of a connection; undefined where a session would travel in the clear. */
interface Kind {
  readonly name: string;
  readonly secure: boolean;
}

/**
 * The scheme that the browser sees decides, which a proxy that ends TLS hides from us; a browser names it in `Origin` with every
 * request that changes something. Without TLS there are sessions on this machine only. Their name has the port, because browsers share
 * cookies among the ports of a host.
 */
function kindOf(incoming: Incoming): Kind | undefined {
  const origin = header(incoming.headers, 'origin') ?? '';
  if (incoming.connection.tls || origin.startsWith('https:')) return { name: secureName, secure: true };
  return loopbackKind(incoming);
}

function loopbackKind({ headers }: Incoming): Kind | undefined {
  const found = loopback.exec(header(headers, 'host') ?? '');
  return found === null ? undefined : { name: `keyferry-${found[1] ?? '80'}`, secure: false };
}

/** The token in the cookie of a request. */
export function tokenIn(incoming: Incoming): Secret | undefined {
  const sent = new Map(
    (header(incoming.headers, 'cookie') ?? '').split(';').map((pair) => {
      const at = pair.indexOf('=');
      return [pair.slice(0, Math.max(at, 0)).trim(), pair.slice(at + 1).trim()] as const;
    }),
  );
  const token = sent.get(secureName) ?? sent.get(loopbackKind(incoming)?.name ?? '');
  return token === undefined || !/^[\x21-\x7e]+$/.test(token) ? undefined : new Secret(token);
}

/** Whether a session can begin on the connection of a request. */
export const mayBegin = (incoming: Incoming): boolean => kindOf(incoming) !== undefined;

/** Cookies that hold a token for this long; with an empty one they end the session. */
export function cookiesOf(incoming: Incoming, token: string, seconds: number): readonly string[] {
  const kind = kindOf(incoming);
  if (kind === undefined) return [];
  const marks = `Max-Age=${seconds}; HttpOnly; SameSite=Strict${kind.secure ? '; Secure' : ''}`;
  return paths.map((path) => `${kind.name}=${token}; Path=${path}; ${marks}`);
}
