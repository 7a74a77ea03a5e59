import { readFileSync } from 'node:fs';
import type { Connection } from '#client/wire/connection.ts';
import { Secret } from '#core/secret.ts';
import { CommandFailure, usage } from '../failure.ts';
import type { Host } from '../host.ts';
import { type Format, formats } from '../output/formats.ts';
import { readTokenFile } from './token-file.ts';

/** The settings of one run. Flags come first, then `KEYFERRY_*`, then `VAULT_*`. */
export interface Settings {
  readonly connection: Connection;
  readonly format: Format;
}

/** The variables of the environment, without their prefix, and what they mean. */
export const variables = {
  ADDR: 'address of the server',
  TOKEN: 'token; without it, the content of `~/.vault-token`, which `keyferry login` writes',
  NAMESPACE: 'path of the namespace',
  CACERT: 'file with the certificates to trust, in PEM',
  SKIP_VERIFY: '`true` accepts any certificate',
  CLIENT_TIMEOUT: 'seconds that one attempt of a call may take',
  MAX_RETRIES: 'further attempts of a call that changes nothing',
  FORMAT: 'format of the output',
} as const;

export type Variable = keyof typeof variables;

const prefixes = ['KEYFERRY_', 'VAULT_'] as const;
const addressOtherwise = 'http://127.0.0.1:8200';
const timeoutSecondsOtherwise = '60';
const retriesOtherwise = '2';
const retryMsFirst = 200;

/** Flags that every command takes. */
export interface Flags {
  readonly address?: string | undefined;
  readonly namespace?: string | undefined;
  readonly output?: string | undefined;
}

export function readSettings(host: Host, flags: Flags): Settings {
  const of = (name: Variable) => fromEnvironment(host.environment, name);
  const token = of('TOKEN') ?? readTokenFile(host.home);
  const file = of('CACERT');
  return {
    format: formatOf(flags.output ?? of('FORMAT') ?? 'table'),
    connection: {
      address: addressOf(flags.address ?? of('ADDR') ?? addressOtherwise),
      namespace: (flags.namespace ?? of('NAMESPACE') ?? '').replace(/^\/+|\/+$/g, ''),
      token: token === undefined ? undefined : tokenOf(token),
      certificates: file === undefined ? undefined : certificatesIn(file),
      skipVerify: /^(?:1|t|true)$/i.test(of('SKIP_VERIFY') ?? ''),
      timeoutMs: numberOf('CLIENT_TIMEOUT', of('CLIENT_TIMEOUT') ?? timeoutSecondsOtherwise, 1, 3_600) * 1_000,
      attemptsMax: numberOf('MAX_RETRIES', of('MAX_RETRIES') ?? retriesOtherwise, 0, 20) + 1,
      retryMsFirst,
    },
  };
}

/** An empty variable counts as absent. */
export function fromEnvironment(environment: Host['environment'], name: Variable): string | undefined {
  return prefixes
    .map((prefix) => environment[`${prefix}${name}`]?.trim())
    .find((value) => value !== undefined && value !== '');
}

/** A token of other characters could not be a header, and the error of Node would show it. */
export function tokenOf(text: string): Secret {
  const token = text.trim();
  if (/^[\x21-\x7e]+$/.test(token)) return new Secret(token);
  throw new CommandFailure('token', 'the token has characters that no token has', 'keyferry login');
}

function addressOf(text: string): string {
  const address = URL.canParse(text) ? new URL(text) : undefined;
  if (address === undefined || !/^https?:$/.test(address.protocol))
    throw usage(`the address must begin with http:// or https://, and is "${text}"`, 'status');
  if (address.username !== '' || address.password !== '')
    throw usage('the address must not contain a user or a password', 'status');
  return `${address.origin}${address.pathname}`.replace(/\/+$/, '');
}

function formatOf(text: string): Format {
  const format = formats.find((one) => one === text);
  if (format !== undefined) return format;
  throw usage(`there is no format "${text}": it is one of ${formats.join(', ')}`, 'status');
}

function numberOf(name: string, text: string, min: number, max: number): number {
  const value = Number(text.replace(/s$/, ''));
  if (Number.isFinite(value) && value >= min && value <= max) return value;
  throw usage(`KEYFERRY_${name} must be a number from ${min} to ${max}, and is "${text}"`, 'status');
}

function certificatesIn(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code = 'unreadable' } = error as NodeJS.ErrnoException;
    throw new CommandFailure(
      'failed',
      `KEYFERRY_CACERT names ${file}, which cannot be read: ${code}`,
      'keyferry login --help',
    );
  }
}
