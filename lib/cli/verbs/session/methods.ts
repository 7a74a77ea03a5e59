import { readFile } from 'node:fs/promises';
import type { Client, Reply } from '#client/client.ts';
import { auth } from '#client/operations/auth.ts';
import { Secret } from '#core/secret.ts';
import type { Context } from '../../context.ts';
import { CommandFailure } from '../../failure.ts';
import type { Given } from '../../verb.ts';

/** Asks for what a method needs. The result logs in at a mount. */
export type Method = (context: Context, given: Given, mount: string) => Promise<(client: Client) => Promise<Reply>>;

/** Where an orchestrator puts the token of a pod. */
const podTokenFile = '/var/run/secrets/kubernetes.io/serviceaccount/token';

export const methods: Readonly<Record<string, Method>> = {
  async userpass(context, given, mount) {
    const username = given.text('username') ?? (await context.questions.ask('Username: '));
    const password = await hidden(context, 'Password: ');
    return (client) => client.call(auth.loginUserpass, { mount, username }, { password: password.reveal() });
  },
  async approle(context, given, mount) {
    const role_id = given.text('roleId') ?? (await context.questions.ask('Role id: '));
    const secretId = await hidden(context, 'Secret id: ');
    return (client) => client.call(auth.loginApprole, { mount }, { role_id, secret_id: secretId.reveal() });
  },
  jwt: (context, given, mount) => withJwt(context, given, mount),
  orchestrator: (context, given, mount) => withJwt(context, given, mount, podTokenFile),
  oidc: async (context, given, mount) => (await import('./oidc/login.ts')).withProvider(context, given, mount),
};

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
