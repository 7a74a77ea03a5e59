import { isIPv6 } from 'node:net';
import type { Config } from '#core/config.ts';

type Listener = Pick<Config, 'KEYFERRY_HOST' | 'KEYFERRY_TLS_CERT_FILE'>;

/** The address at which clients reach an API that listens on this port. */
export const apiAddress = (config: Listener, port: number): string =>
  `${hasTls(config) ? 'https' : 'http'}://${authority(config.KEYFERRY_HOST, port)}`;

/** Whether the API speaks TLS. */
export const hasTls = (config: Pick<Listener, 'KEYFERRY_TLS_CERT_FILE'>): boolean =>
  config.KEYFERRY_TLS_CERT_FILE !== undefined;

/** Host and port in the form of an address: an IPv6 address in brackets. */
export const authority = (host: string, port: number): string => `${isIPv6(host) ? `[${host}]` : host}:${port}`;

/** A host of this machine at which a listener on the given host answers. */
export const hostToAsk = (listening: string): string => loopbackOf[listening] ?? listening;

/** Not every system can connect to the hosts that stand for all addresses of the machine. */
const loopbackOf: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };
