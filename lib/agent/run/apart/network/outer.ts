import { request as httpRequest, type OutgoingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { holds, parseBlock } from '#network/addresses.ts';
import type { RemoteAddress } from '#network/connection/reach.ts';
import type { Environment } from '../programs.ts';

/** The proxies that the agent was given, through which its machine reaches other networks. */
export interface OuterProxies {
  /** The proxy for a remote; undefined: it is reached directly. */
  for(remote: RemoteAddress, kind: 'http' | 'tunnel'): URL | undefined;
}

/**
 * Reads `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`, in small letters first, as curl does.
 *
 * @throws Error for a proxy that speaks neither HTTP nor HTTPS
 */
export function outerProxies(environment: Environment): OuterProxies {
  const value = (name: string) => environment[name.toLowerCase()] || environment[name] || undefined;
  const all = value('ALL_PROXY');
  const proxies = {
    http: parsed('HTTP_PROXY', value('HTTP_PROXY') ?? all),
    tunnel: parsed('HTTPS_PROXY', value('HTTPS_PROXY') ?? all),
  };
  const without = (value('NO_PROXY') ?? '').split(/[\s,]+/).filter((one) => one !== '');
  return { for: (remote, kind) => (without.some((one) => names(one, remote)) ? undefined : proxies[kind]) };
}

function parsed(name: string, text: string | undefined): URL | undefined {
  if (text === undefined) return undefined;
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url !== undefined && ['http:', 'https:'].includes(url.protocol)) return url;
  throw new Error(
    `${name} (or ALL_PROXY) must be the address of a proxy for HTTP, such as http://proxy.example:3128; KEYFERRY_AGENT_NETWORK=open leaves it to the engine`,
  );
}

/** Whether an entry of `NO_PROXY` names a remote: `*`, an address, a block of addresses, a domain, each with a port if it likes. */
function names(entry: string, { host, port }: RemoteAddress): boolean {
  if (entry === '*') return true;
  const block = parseBlock(entry);
  if (block !== undefined) return isIP(host) !== 0 && holds(block, host);
  const [, name = '', ofPort] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(isIP(entry) === 6 ? `[${entry}]` : entry) ?? [];
  if (ofPort !== undefined && Number(ofPort) !== port) return false;
  const domain = name.toLowerCase().replace(/^\*?\./, '');
  const asked = host.toLowerCase();
  return asked === domain || (isIP(asked) === 0 && asked.endsWith(`.${domain}`));
}

/** What a proxy with a name and a password in its address is told. */
export function authorizationFor({ username, password }: URL): OutgoingHttpHeaders {
  if (username === '') return {};
  const credential = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(credential).toString('base64')}` };
}

/** How requests are sent to a proxy, and where it is. */
export const proxyRequest = (proxy: URL) =>
  ({
    send: proxy.protocol === 'https:' ? httpsRequest : httpRequest,
    host: proxy.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: proxy.port === '' ? (proxy.protocol === 'https:' ? 443 : 80) : Number(proxy.port),
  }) as const;

/** A connection to a remote through a proxy. @throws Error when the proxy cannot be reached or refuses */
export function reachThrough(proxy: URL, { host, port }: RemoteAddress, connectMs: number): Promise<Socket> {
  const { send, ...where } = proxyRequest(proxy);
  const path = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  const headers = { host: path, ...authorizationFor(proxy) };
  const request = send({ ...where, method: 'CONNECT', path, headers, agent: false });
  const timer = setTimeout(() => request.destroy(new ProxyRefused('ETIMEDOUT')), connectMs);
  return new Promise<Socket>((resolve, reject) => {
    request.on('error', reject).once('connect', ({ statusCode = 0 }, socket, head) => {
      socket.on('error', () => {});
      if (statusCode >= 200 && statusCode < 300) {
        if (head.length > 0) socket.unshift(head);
        return resolve(socket as Socket);
      }
      socket.destroy();
      reject(new ProxyRefused(`PROXY_ANSWERED_${statusCode}`));
    });
    request.once('response', ({ statusCode }) => {
      request.destroy();
      reject(new ProxyRefused(`PROXY_ANSWERED_${statusCode}`));
    });
    request.end();
  }).finally(() => clearTimeout(timer));
}

class ProxyRefused extends Error {
  override readonly name = 'ProxyRefused';
  readonly code: string;

  constructor(code: string) {
    super(`the proxy of the agent did not connect: ${code}`);
    this.code = code;
  }
}
