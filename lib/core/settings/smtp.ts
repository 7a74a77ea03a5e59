import { BlockList } from 'node:net';
import { Secret } from '../secret.ts';

/** A server that accepts messages for delivery. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** `implicit`: TLS from the first byte; `starttls`: TLS before any data, or the connection ends; `none`: no TLS. */
  readonly tls: 'implicit' | 'starttls' | 'none';
  readonly login: { readonly user: string; readonly password: Secret } | undefined;
}

/** The sender of messages. */
export interface Sender {
  /** Display name; empty for none. */
  readonly name: string;
  readonly address: string;
}

const addressCharactersMax = 254;
const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const address = new RegExp(`^[a-z0-9.!#$%&'*+/=?^_\`{|}~-]{1,64}@${label}(?:\\.${label})*$`, 'i');

/** An address that needs no quotes: it contains nothing that could end a command or a header. */
export const isMailAddress = (text: string): boolean => text.length <= addressCharactersMax && address.test(text);

/** Parses `address` or `Name <address>`. Undefined when the text is neither. */
export function parseSender(text: string): Sender | undefined {
  const [, name = '', inside] = /^([^<>"\p{Cc}]{0,100})<([^<>]+)>$/u.exec(text) ?? [];
  const sender = { name: name.trim(), address: inside ?? text };
  return isMailAddress(sender.address) ? sender : undefined;
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

const isLoopback = (host: string): boolean =>
  host.toLowerCase() === 'localhost' || loopback.check(host, host.includes(':') ? 'ipv6' : 'ipv4');

/**
 * Parses `smtp://user:password@host:port`, or `smtps:`. Servers on other machines need TLS, unless `?tls=none` disables it;
 * `?tls=required` requires it on this machine too. Undefined when the text is not such a URL.
 */
export function parseSmtpUrl(text: string): SmtpServer | undefined {
  if (!/^smtps?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const host = hostOf(url);
  const tls = host === undefined ? undefined : tlsOf(url, host);
  const login = loginOf(url);
  const isBare = (url.pathname === '' || url.pathname === '/') && url.hash === '' && url.port !== '0';
  if (host === undefined || tls === undefined || login === 'wrong' || !isBare) return undefined;
  return { host, port: Number(url.port) || (tls === 'implicit' ? 465 : 587), tls, login };
}

const hostOf = ({ hostname }: URL): string | undefined =>
  /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])$/i.test(hostname)
    ? hostname.replace(/^\[|\]$/g, '')
    : undefined;

function tlsOf({ protocol, search, searchParams }: URL, host: string): SmtpServer['tls'] | undefined {
  if (protocol === 'smtps:') return search === '' ? 'implicit' : undefined;
  if (search === '') return isLoopback(host) ? 'none' : 'starttls';
  const [[name, value] = [], ...others] = [...searchParams];
  if (name !== 'tls' || others.length > 0) return undefined;
  return value === 'none' ? 'none' : value === 'required' ? 'starttls' : undefined;
}

function loginOf({ username, password }: URL): SmtpServer['login'] | 'wrong' {
  if (username === '' && password === '') return undefined;
  try {
    const [user, secret] = [decodeURIComponent(username), decodeURIComponent(password)];
    if (user === '' || secret === '' || /\p{Cc}/u.test(user + secret)) return 'wrong';
    return { user, password: new Secret(secret) };
  } catch {
    return 'wrong';
  }
}
