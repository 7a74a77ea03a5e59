import { randomBytes } from 'node:crypto';
import type { Context } from '#cli/context.ts';
import { CommandFailure, usage } from '#cli/failure.ts';
import type { Given } from '#cli/verb.ts';
import type { Client, Reply } from '#client/client.ts';
import { auth } from '#client/operations/auth.ts';
import { textOf } from '#client/wire/json.ts';
import { type Deadline, deadlineOf } from './deadline.ts';
import { type Answer, listen } from './listener.ts';
import { pollForToken } from './poll.ts';

/** How the answer of the provider reaches the program: its own listener gets it, or it asks the server for its token. */
const modes = ['client', 'direct', 'device'] as const;
type Mode = (typeof modes)[number];

interface Wish {
  readonly mount: string;
  readonly mode: Mode;
  readonly deadline: Deadline;
}

/** A login at an OpenID provider. What the method asks for is the user, in a browser. */
export async function withProvider(context: Context, given: Given, mount: string) {
  const mode = modes.find((one) => one === (given.text('callbackMode') ?? 'client'));
  if (mode === undefined) throw usage(`--callback-mode must be one of ${modes.join(', ')}`, given.verb);
  const local = ['listen', 'port'].find((option) => given.has(option));
  if (mode !== 'client' && local !== undefined)
    throw usage(`--${local} needs the callback mode client: in the mode ${mode} nothing listens`, given.verb);
  if (mode !== 'client' && given.text('mfa') !== undefined)
    throw usage('--mfa needs the callback mode client: a code would be too old when the login ends', given.verb);
  const wish = { mount, mode, deadline: deadlineOf(context, given) };
  return mode === 'client' ? withListener(context, given, wish) : withPolls(context, given, wish);
}

async function withListener(context: Context, given: Given, wish: Wish) {
  const listener = await listen(given);
  try {
    const { url, nonce } = await begin(context, given, wish, listener.redirectUri);
    const answering = listener.answerTo(new URL(url).searchParams.get('state') ?? '');
    await sendUser(context, given, url);
    const answer = await wish.deadline.within(answering);
    return (client: Client) => complete(client, wish.mount, nonce, answer);
  } finally {
    listener.close();
  }
}

/** What a provider posted goes to the server first: only that takes an ID token. */
async function complete(
  client: Client,
  mount: string,
  client_nonce: string,
  { fields, isPosted }: Answer,
): Promise<Reply> {
  const of = (name: string) => fields.get(name) ?? undefined;
  const answer = { state: of('state'), code: of('code'), error: of('error'), iss: of('iss') };
  if (isPosted && answer.error === undefined)
    await client.call(auth.postOidc, { mount }, { state: answer.state, code: answer.code, id_token: of('id_token') });
  return client.call(auth.completeOidc, { mount }, { ...answer, client_nonce });
}

async function withPolls(context: Context, given: Given, wish: Wish) {
  const { address, namespace } = context.settings.connection;
  const within = namespace === '' ? '' : `${namespace}/`;
  const at = wish.mode === 'device' ? '' : `${address}/v1/${within}auth/${wish.mount}/oidc/callback`;
  const { url, nonce, state, userCode, seconds } = await begin(context, given, wish, at);
  if (userCode === '') await sendUser(context, given, url);
  else context.say(`Open this address on any machine, and confirm the code ${userCode}:\n${url}`);
  return (client: Client) =>
    pollForToken({ client, mount: wish.mount, state, client_nonce: nonce, seconds }, wish.deadline);
}

/** Shows where to log in, also where a browser opens: it may be the wrong one. */
async function sendUser({ host, say }: Context, given: Given, url: string): Promise<void> {
  const opens = given.flag('browser');
  say(`${opens ? 'Log in in the browser that opens, or open this address' : 'Open this address'}:\n${url}`);
  if (opens) await host.openBrowser(url);
}

interface Begun {
  readonly url: string;
  readonly nonce: string;
  /** Empty with the callback mode client. */
  readonly state: string;
  /** Empty unless the callback mode is device. */
  readonly userCode: string;
  readonly seconds: number;
}

const nonceBytes = 24;
const secondsOtherwise = 5;

/** @throws CommandFailure when the role has another callback mode, or does not allow the redirect URI */
async function begin(
  context: Context,
  given: Given,
  { mount, mode, deadline }: Wish,
  redirect: string,
): Promise<Begun> {
  const nonce = randomBytes(nonceBytes).toString('base64url');
  const fields = { role: given.text('role'), redirect_uri: redirect, client_nonce: nonce };
  const { data } = await deadline.within(context.clientWith(undefined).call(auth.beginOidc, { mount }, fields));
  const [url, state, userCode] = [textOf(data, 'auth_url'), textOf(data, 'state'), textOf(data, 'user_code')];
  if (url === '')
    throw failed(
      `the role does not allow this login: its role_type must be oidc, and its allowed_redirect_uris must have ${redirect}`,
    );
  const used = state === '' ? 'client' : userCode === '' ? 'direct' : 'device';
  if (used !== mode)
    throw failed(`the role has the callback mode ${used}`, `keyferry login --method oidc --callback-mode ${used}`);
  if (!/^https?:/.test(url) || !URL.canParse(url)) throw failed('the provider has no address that a browser can open');
  return { url, nonce, state, userCode, seconds: Number(textOf(data, 'poll_interval')) || secondsOtherwise };
}

const failed = (message: string, next = 'keyferry login --help') => new CommandFailure('failed', message, next);
