import { readFile } from 'node:fs/promises';
import type { Client, Reply } from '#client/client.ts';
import { auth } from '#client/operations/auth.ts';
import { Secret } from '#core/secret.ts';
import { optionName } from '../../command/combinations.ts';
import type { Context } from '../../context.ts';
import { CommandFailure, usage } from '../../failure.ts';
import type { Given } from '../../verb.ts';

export interface Method {
  /** The options that only some methods have, of which this one has these. */
  readonly options: readonly string[];
  /** Asks for what the method needs. The result logs in at a mount. */
  prepare(context: Context, given: Given, mount: string): Promise<(client: Client) => Promise<Reply>>;
}

/** Where an orchestrator puts the token of a pod. */
const podTokenFile = '/var/run/secrets/kubernetes.io/serviceaccount/token';

const forAll = ['--mount', '--mfa'];

export const methods: Readonly<Record<string, Method>> = {
  userpass: {
    options: [...forAll, '--username'],
    async prepare(context, given, mount) {
      const username = given.text('username') ?? (await context.questions.ask('Username: '));
      const password = await hidden(context, 'Password: ');
      return (client) => client.call(auth.loginUserpass, { mount, username }, { password: password.reveal() });
    },
  },
  approle: {
    options: [...forAll, '--role-id'],
    async prepare(context, given, mount) {
      const role_id = given.text('roleId') ?? (await context.questions.ask('Role id: '));
      const secretId = await hidden(context, 'Secret id: ');
      return (client) => client.call(auth.loginApprole, { mount }, { role_id, secret_id: secretId.reveal() });
    },
  },
  jwt: { options: [...forAll, '--role', '--jwt-file'], prepare: (...given) => withJwt(...given) },
  orchestrator: {
    options: [...forAll, '--role', '--jwt-file'],
    prepare: (context, given, mount) => withJwt(context, given, mount, podTokenFile),
  },
  oidc: {
    options: [...forAll, '--role', '--callback-mode', '--listen', '--port', '--no-browser', '--timeout'],
    prepare: async (context, given, mount) => (await import('./oidc/login.ts')).withProvider(context, given, mount),
  },
};

/** Options that no method but some has. */
const methodOptions = [...new Set(Object.values(methods).flatMap(({ options }) => options))];

/** @throws CommandFailure for an option of another method. @param name also `token`, which has no such option */
export function refuseForeignOptions(given: Given, name: string): void {
  const own = methods[name]?.options ?? [];
  const foreign = methodOptions.find((option) => !own.includes(option) && isGiven(given, option));
  if (foreign === undefined) return;
  const of = Object.keys(methods).filter((method) => methods[method]?.options.includes(foreign));
  const others =
    of.length === Object.keys(methods).length
      ? `all methods but ${name}`
      : of.join(', ').replace(/, (\w+)$/, ' and $1');
  throw usage(`${foreign} is an option of ${others}, and the method is ${name}`, given.verb);
}

/** The browser is wanted unless told otherwise. */
const isGiven = (given: Given, option: string): boolean =>
  option === '--no-browser' ? !given.flag('browser') : given.has(optionName(option));

async function withJwt(context: Context, given: Given, mount: string, fileOtherwise?: string) {
  const role = given.text('role') ?? (await context.questions.ask('Role: '));
  const file = given.text('jwtFile') ?? fileOtherwise;
  const jwt = file === undefined ? await hidden(context, 'Token: ') : await secretIn(context, file);
  return (client: Client) => client.call(auth.loginJwt, { mount }, { role, jwt: jwt.reveal() });
}

async function hidden(context: Context, question: string): Promise<Secret> {
  return concealed(context, await context.questions.askHidden(question));
}

async function secretIn(context: Context, file: string): Promise<Secret> {
  try {
    return concealed(context, (await readFile(file, 'utf8')).trim());
  } catch (error) {
    const { code = 'unreadable' } = error as NodeJS.ErrnoException;
    throw new CommandFailure('failed', `${file} cannot be read: ${code}`, 'keyferry login --help');
  }
}

function concealed(context: Context, value: string): Secret {
  const secret = new Secret(value);
  context.conceal(secret);
  return secret;
}
