import { Secret } from '../../secret.ts';
import type { DatabaseAddress, DatabaseHost, DatabaseLogin, DatabaseTls, LoginKind, TargetServer } from './address.ts';
import { DatabaseUrlError, formRule } from './error.ts';
import { hostsOf } from './hosts.ts';
import { decoded, Parameters } from './parameters.ts';
import { tlsOf } from './tls.ts';

const form = /^postgres(?:ql)?:\/\/(?<authority>[^/?#]*)(?:\/(?<database>[^?#]*))?(?:\?(?<query>[^#]*))?(?:#.*)?$/is;

/**
 * Parses `postgres://user:password@host1:port1,host2:port2/database?name=value&…` as libpq does; docs/operating/database.md lists
 * the differences.
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

/** With several hosts, usually all but one are standbys, and libpq's default `any` would accept a standby. */
function targetOf(hosts: readonly DatabaseHost[], parameters: Parameters): TargetServer {
  const asked = parameters.oneOf('target_session_attrs', [...targets, 'read-only', 'standby', 'prefer-standby']);
  if (asked === undefined) return hosts.length > 1 ? 'read-write' : 'any';
  const target = targets.find((one) => one === asked);
  if (target !== undefined) return target;
  throw new DatabaseUrlError(
    `has target_session_attrs=${asked}, but the service writes: set read-write, primary or any`,
  );
}

const kinds: readonly LoginKind[] = ['none', 'password', 'md5', 'scram-sha-256'];
/** Methods of libpq that are not supported here: allowing or forbidding them has no effect. */
const foreign: readonly string[] = ['gss', 'sspi', 'oauth'];

/** @throws DatabaseUrlError */
function loginOf(parameters: Parameters): DatabaseLogin {
  const asked = parameters.take('require_auth');
  const channelBinding = parameters.oneOf('channel_binding', ['disable', 'prefer', 'require']) ?? 'prefer';
  return { allowed: asked ? allowedBy(asked) : new Set(kinds), channelBinding };
}

/** `a,b` allows only these; `!a,!b` allows all except these. */
function allowedBy(text: string): ReadonlySet<LoginKind> {
  const listed = text.split(',').map((one) => one.trim());
  const negated = listed.filter((one) => one.startsWith('!'));
  const names = new Set(listed.map((one) => one.replace(/^!/, '')));
  const known = [...names].every((name) => foreign.includes(name) || kinds.some((kind) => kind === name));
  if (!known || (negated.length > 0 && negated.length < listed.length)) {
    throw new DatabaseUrlError(
      `has a require_auth that is no list of ${kinds.join(', ')}, nor of these with an exclamation mark each`,
    );
  }
  const allowed = new Set(kinds.filter((kind) => names.has(kind) !== negated.length > 0));
  if (allowed.size > 0) return allowed;
  throw new DatabaseUrlError('has a require_auth that allows no supported authentication method');
}
