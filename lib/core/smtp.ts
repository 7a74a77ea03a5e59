import { BlockList } from 'node:net';
import { Secret } from './secret.ts';

/** A server that takes messages for delivery. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** `implicit`: from the first byte; `starttls`: before anything is said, or the connection ends; `none`: in the clear. */
  readonly tls: 'implicit' | 'starttls' | 'none';
  readonly login: { readonly user: string; readonly password: Secret } | undefined;
}

/** Whom messages are from. */
export interface Sender {
  /** Empty: the address alone. */
  readonly name: string;
  readonly address: string;
}

const addressCharactersMax = 254;
const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const address = new RegExp(`^[a-z0-9.!#$%&'*+/=?^_\`{|}~-]{1,64}@${label}(?:\\.${label})*$`, 'i');

/** An address as mail servers take it without quotes: it has nothing that ends a command or a header. */
export const isMailAddress = (text: string): boolean => text.length <= addressCharactersMax && address.test(text);

/** Reads `address` or `Name <address>`. Undefined: it is neither. */
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
 * Reads `smtp://user:password@host:port`, or `smtps:`. What is not on this machine needs TLS, unless `?tls=none` says otherwise;
 * `?tls=required` asks for it on this machine too. Undefined: it is none.
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
