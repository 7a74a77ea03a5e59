import { auth } from '#client/operations/auth.ts';
import { memberOf, textOf, type Value } from '#client/wire/json.ts';
import { Secret } from '#core/secret.ts';
import type { Context } from '../../context.ts';
import { CommandFailure, usage } from '../../failure.ts';
import { one, type Result, text } from '../../output/result.ts';
import { tokenOf } from '../../settings/settings.ts';
import { tokenFileIn, writeTokenFile } from '../../settings/token-file.ts';
import type { Given, Verb } from '../../verb.ts';
import { validated } from './codes.ts';
import { type Method, methods, refuseForeignOptions } from './methods.ts';

export const login: Verb = {
  name: 'login',
  summary: 'Log in, and store the token for later commands',
  options: [
    ['-m, --method <method>', `how to log in: token (default), ${Object.keys(methods).join(', ')}`],
    ['--mount <path>', 'mount of the auth method; default: its name'],
    ['-u, --username <name>', 'user of userpass'],
    ['--role <role>', 'role of jwt, orchestrator or oidc'],
    ['--role-id <id>', 'role id of approle'],
    ['--jwt-file <file>', 'file with the token of jwt or orchestrator'],
    ['--callback-mode <mode>', 'of the role of oidc: client (default), direct or device'],
    ['--listen <host>', 'where oidc listens for the browser: localhost (default), 127.0.0.1 or ::1'],
    ['--port <port>', 'port of --listen; default: 8250; 0 takes a free one'],
    ['--no-browser', 'show the address of the provider without opening it'],
    ['--timeout <time>', 'time to log in at the provider; default: 5m'],
    ['--mfa <method>', 'name of an MFA method: sends its code with the login instead of afterwards'],
    ['--print-token', 'print the token instead of storing it'],
  ],
  examples: [
    'keyferry login < token.txt',
    'keyferry login --method userpass --username ada < password.txt',
    'keyferry login --method approle --role-id "$ROLE_ID" < secret-id.txt',
    'keyferry login --method jwt --role deploy --jwt-file token.jwt',
    'keyferry login --method oidc --role people --port 0',
    'TOKEN=$(keyferry login --method userpass --username ada --print-token < password.txt)',
  ],
  async run(context, given) {
    const name = given.text('method') ?? 'token';
    const method = methods[name];
    if (method === undefined && name !== 'token')
      throw usage(`there is no method "${name}": it is token or one of ${Object.keys(methods).join(', ')}`, 'login');
    refuseForeignOptions(given, name);
    const token = method === undefined ? await givenToken(context) : await newToken(context, given, name, method);
    context.conceal(token);
    const seen = await context.clientWith(token).call(auth.lookupSelf, {});
    if (given.flag('printToken')) return text(`${token.reveal()}\n`, { token: token.reveal() });
    await writeTokenFile(context.host.home, token);
    context.say(`the token is stored in ${tokenFileIn(context.host.home)}`);
    warnOfVariables(context);
    return identityOf(seen.data);
  },
};

async function givenToken({ questions }: Context): Promise<Secret> {
  return tokenOf(await questions.askHidden('Token: '));
}

async function newToken(context: Context, given: Given, name: string, method: Method): Promise<Secret> {
  const logIn = await method.prepare(context, given, given.text('mount') ?? name);
  const mfa = given.text('mfa');
  const codes = mfa === undefined ? undefined : new Secret(`${mfa}:${await context.questions.ask(`Code of ${mfa}: `)}`);
  const reply = await logIn(context.clientWith(undefined, codes));
  const document = await validated(context, reply.whole);
  const token = textOf(document, 'auth', 'client_token');
  if (token !== '') return new Secret(token);
  throw new CommandFailure('failed', 'the login was accepted, but the reply has no token', 'keyferry status');
}

/** A variable would win over the file that was just written. */
function warnOfVariables({ host, say }: Context): void {
  const set = ['KEYFERRY_TOKEN', 'VAULT_TOKEN'].find((name) => (host.environment[name] ?? '') !== '');
  if (set !== undefined) say(`${set} is set, and is used instead of the stored token: unset ${set}`);
}

/** What a token says about its holder, without the token. */
export function identityOf(data: Value | undefined): Result {
  const keys = ['display_name', 'path', 'policies', 'identity_policies', 'entity_id', 'namespace_path', 'accessor'];
  const more = ['type', 'ttl', 'expire_time', 'renewable', 'num_uses', 'meta'];
  const members = [...keys, ...more].map((key) => [key, memberOf(data, key)] as const);
  return one(Object.fromEntries(members.filter(([, value]) => value !== undefined)));
}
