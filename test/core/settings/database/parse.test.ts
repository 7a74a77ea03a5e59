import { describe, expect, test } from 'vitest';
import { parseCommand } from '#core/settings/database/command.ts';
import { DatabaseUrlError } from '#core/settings/database/error.ts';
import { parseDatabaseUrl } from '#core/settings/database/parse.ts';

const parse = (rest: string) => parseDatabaseUrl(`postgres://${rest}`);
const hosts = (rest: string) => parse(rest).hosts.map(({ host, port }) => `${host} ${port}`);

describe('hosts', () => {
  test.each([
    ['u:p@h1:5433/db', ['h1 5433']],
    ['u:p@h1/db', ['h1 5432']],
    ['u:p@h1:5433,h2/db', ['h1 5433', 'h2 5432']],
    ['h1,h2:1,[::1]:2,[fe80::1]', ['h1 5432', 'h2 1', '::1 2', 'fe80::1 5432']],
    ['u:p@/db?host=/var/run/postgresql', ['/var/run/postgresql 5432']],
    ['%2Fvar%2Frun:6000/db', ['/var/run 6000']],
    ['/db?host=h1,h2&port=6000', ['h1 6000', 'h2 6000']],
    ['/db?host=h1,h2&port=6000,6001', ['h1 6000', 'h2 6001']],
    ['h1:7000/db?host=h2', ['h2 7000']],
    ['', ['localhost 5432']],
  ])('%s', (text, expected) => {
    expect(hosts(text)).toEqual(expected);
  });
});

test('a user, a password and a database are read as intended, even with characters that should have been escaped', () => {
  const seen = (rest: string) => {
    const { user, password, database } = parse(rest);
    return [user, password?.reveal(), database];
  };
  expect(seen('u:p@h/db')).toEqual(['u', 'p', 'db']);
  expect(seen('u%40x:p%2F%3A@h/d%20b')).toEqual(['u@x', 'p/:', 'd b']);
  expect(seen('u:p@ss:word@h1,h2/db')).toEqual(['u', 'p@ss:word', 'db']);
  expect(seen('u:100%sure@h/db')).toEqual(['u', '100%sure', 'db']);
  expect(seen('h/?user=u&password=p%26q&dbname=db')).toEqual(['u', 'p&q', 'db']);
  expect(seen('h')).toEqual([undefined, undefined, undefined]);
});

test('several hosts mean one that may write, unless the URL says otherwise', () => {
  expect(parse('h1/db').target).toBe('any');
  expect(parse('h1,h2/db').target).toBe('read-write');
  expect(parse('h1,h2/db?target_session_attrs=any').target).toBe('any');
  expect(parse('h1/db?target_session_attrs=primary').target).toBe('primary');
  expect(parse('h1,h2/db').shuffled).toBe(false);
  expect(parse('h1,h2/db?load_balance_hosts=random').shuffled).toBe(true);
});

test.each([
  ['', 'disable'],
  ['sslmode=disable', 'disable'],
  ['sslmode=allow', 'prefer'],
  ['sslmode=prefer', 'prefer'],
  ['sslmode=no-verify', 'no-verify'],
  ['sslmode=require', 'verify-full'],
  ['sslmode=require&sslrootcert=/ca', 'verify-full'],
  ['sslmode=verify-ca&sslrootcert=/ca', 'verify-ca'],
  ['sslmode=verify-full', 'verify-full'],
  ['sslrootcert=/ca', 'verify-full'],
  ['sslrootcert=system', 'verify-full'],
  ['ssl=true', 'verify-full'],
  ['ssl=no-verify', 'no-verify'],
  ['sslcert=/c&sslkey=/k', 'verify-full'],
])('TLS: %s is %s', (query, mode) => {
  expect(parse(`h/db?${query}`).tls.mode).toBe(mode);
});

test('login methods are listed, or excluded with an exclamation mark', () => {
  const allowed = (text: string) => [...parse(`h/db?require_auth=${text}`).login.allowed];
  expect(allowed('scram-sha-256')).toEqual(['scram-sha-256']);
  expect(allowed('md5,scram-sha-256,gss')).toEqual(['md5', 'scram-sha-256']);
  expect(allowed('!password,!md5')).toEqual(['none', 'scram-sha-256']);
  expect(parse('h/db').login.allowed.size).toBe(4);
});

test('parameters that `pg` knows are passed on, and those of other clients are ignored', () => {
  expect(parse('h/db?options=-c%20geqo%3Doff&application_name=x&schema=public').startUp).toEqual({
    options: '-c geqo=off',
    application_name: 'x',
  });
});

test.each([
  ['mysql://u:hidden@h/db', /must have the form/],
  ['postgres//u:hidden@h/db', /must have the form/],
  ['', /must have the form/],
  ['postgres://u:hidden@h:port/db', /must have the form/],
  ['postgres://u:hidden@h:70000/db', /a port that is not a number from 1 to 65535/],
  ['postgres://u:hidden@h1,h2,h3/db?port=1,2', /different numbers of ports/],
  [`postgres://u:hidden@${Array.from({ length: 17 }, () => 'h').join()}/db`, /more than 16 hosts/],
  ['postgres://u:hidden@h1,h2/db?target_session_attrs=standby', /but the service writes/],
  ['postgres://u:hidden@h/db?target_session_attrs=leader', /not one of any, primary, read-write/],
  ['postgres://u:hidden@h/db?sslmode=verify', /sslmode that is not one of/],
  ['postgres://u:hidden@h/db?sslmode=verify-ca', /needs sslrootcert/],
  ['postgres://u:hidden@h/db?sslmode=verify-full&sslcert=/c', /set both/],
  ['postgres://u:hidden@h/db?sslmode=prefer&sslnegotiation=direct', /needs sslmode/],
  ['postgres://u:hidden@h/db?sslcrl=/crl', /has the parameter sslcrl, which is not supported/],
  ['postgres://u:hidden@h/db?gssencmode=require', /has the parameter gssencmode/],
  ['postgres://u:hidden@h/db?channel_binding=require', /needs TLS/],
  ['postgres://u:hidden@h/db?channel_binding=require&sslmode=prefer', /needs TLS/],
  ['postgres://u:hidden@h/db?require_auth=hidden', /require_auth that is no list/],
  ['postgres://u:hidden@h/db?require_auth=!md5,password', /require_auth that is no list/],
  ['postgres://u:hidden@h/db?require_auth=gss', /allows no supported authentication/],
  ['postgres://u:hidden@h/db?sslmode=disable&sslmode=prefer', /sslmode twice/],
  ['postgres://h/db?password=a&sslhidden=b', /has the parameter sslhidden/],
])('%s is refused without its password', (text, problem) => {
  const failure = (() => {
    try {
      return parseDatabaseUrl(text);
    } catch (error) {
      return error;
    }
  })();
  expect(failure).toBeInstanceOf(DatabaseUrlError);
  expect(String(failure)).toMatch(problem);
  if (text.includes(':hidden@')) expect(String(failure)).not.toContain('hidden');
});

test('a command is a list of words and runs without a shell', () => {
  expect(parseCommand('/bin/token --host db')).toEqual(['/bin/token', '--host', 'db']);
  expect(parseCommand('["/bin/token", "a b", ""]')).toEqual(['/bin/token', 'a b', '']);
  for (const text of ['', '  ', '[]', '[""]', '["a", 1]', '[a]', 'token $HOME', "token 'a b'", 'a | b', 'a; b']) {
    expect(parseCommand(text), text).toBeUndefined();
  }
});
