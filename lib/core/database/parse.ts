import { Secret } from '../secret.ts';
import type { DatabaseAddress, DatabaseHost, DatabaseLogin, DatabaseTls, TargetServer } from './address.ts';
import { DatabaseUrlError } from './error.ts';
import { hostsOf } from './hosts.ts';
import { loginOf } from './login.ts';
import { decoded, Parameters } from './parameters.ts';
import { formRule } from './rule.ts';
import { tlsOf } from './tls.ts';

const form = /^postgres(?:ql)?:\/\/(?<authority>[^/?#]*)(?:\/(?<database>[^?#]*))?(?:\?(?<query>[^#]*))?(?:#.*)?$/is;

/**
 * Reads `postgres://user:password@host1:port1,host2:port2/database?name=value&…` as libpq does; docs/operating.md says where the two
 * differ.
 *
 * @throws DatabaseUrlError
 */
export function parseDatabaseUrl(text: string): DatabaseAddress {
  const { authority, database = '', query = '' } = form.exec(text)?.groups ?? {};
  if (authority === undefined) throw new DatabaseUrlError(formRule);
  const parameters = new Parameters(query);
  const at = authority.lastIndexOf('@');
  const named = at < 0 ? undefined : userAndPassword(authority.slice(0, at));
  const hosts = hostsOf(authority.slice(at + 1), parameters);
  const password = parameters.take('password') ?? named?.password;
  return {
    hosts,
    shuffled: parameters.oneOf('load_balance_hosts', ['disable', 'random']) === 'random',
    target: targetOf(hosts, parameters),
    user: (parameters.take('user') ?? named?.user) || undefined,
    password: password ? new Secret(password) : undefined,
    database: (parameters.take('dbname') ?? decoded(database)) || undefined,
    ...secured(tlsOf(parameters), loginOf(parameters)),
    startUp: parameters.rest(),
  };
}

function userAndPassword(text: string): { readonly user: string; readonly password: string } {
  const [user = '', ...password] = text.split(':');
  return { user: decoded(user), password: decoded(password.join(':')) };
}

const unbound: ReadonlySet<DatabaseTls['mode']> = new Set(['disable', 'prefer']);

function secured(tls: DatabaseTls, login: DatabaseLogin) {
  if (login.channelBinding === 'require' && unbound.has(tls.mode)) {
    throw new DatabaseUrlError('has channel_binding=require, which needs TLS: add sslmode=verify-full');
  }
  return { tls, login };
}

const targets: readonly TargetServer[] = ['any', 'primary', 'read-write'];

/** Of several hosts all but one are standbys as a rule, and to libpq's `any` one of those would be as good. */
function targetOf(hosts: readonly DatabaseHost[], parameters: Parameters): TargetServer {
  const asked = parameters.oneOf('target_session_attrs', [...targets, 'read-only', 'standby', 'prefer-standby']);
  if (asked === undefined) return hosts.length > 1 ? 'read-write' : 'any';
  const target = targets.find((one) => one === asked);
  if (target !== undefined) return target;
  throw new DatabaseUrlError(
    `has target_session_attrs=${asked}, but the service writes: set read-write, primary or any`,
  );
}
