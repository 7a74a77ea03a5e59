import { readFile } from 'node:fs/promises';
import { isWorkspaces } from '#client/request.ts';
import { parseJson, printJson, type Value } from '#client/wire/json.ts';
import type { Context } from '../context.ts';
import { CommandFailure, usage } from '../failure.ts';
import { redacted } from '../output/redact.ts';
import { one, type Result, text } from '../output/result.ts';
import type { Verb } from '../verb.ts';

const methods: ReadonlySet<string> = new Set(['GET', 'LIST', 'POST', 'PUT', 'PATCH', 'DELETE']);

export const api: Verb = {
  name: 'api',
  summary: 'Send any request to the server',
  arguments: [
    ['<method>', 'GET, LIST, POST, PUT, PATCH or DELETE'],
    ['<path>', 'such as sys/mounts, or /api/v2/organizations for the workspace service'],
  ],
  options: [
    ['-d, --data <source>', 'body: @file, - for standard input, or the JSON itself'],
    ['--reveal', 'show your own token if it is in the reply'],
  ],
  examples: [
    'keyferry api GET sys/mounts',
    'keyferry api LIST sys/policies/acl -o yaml',
    `printf '{"path": "secret/data/a"}' | keyferry api POST sys/capabilities-self -d -`,
    'keyferry api GET /api/v2/organizations',
  ],
  async run(context, given) {
    const method = given.argument(0).toUpperCase();
    if (!methods.has(method))
      throw usage(`there is no method "${method}": it is one of ${[...methods].join(', ')}`, 'api');
    const path = absolute(given.argument(1));
    const data = given.text('data');
    if (data !== undefined && (method === 'GET' || method === 'LIST'))
      throw usage(`a ${method} has no body: its parameters are part of the path, as in sys/mounts?help=1`, 'api');
    if (isWorkspaces(path) && given.has('namespace'))
      throw usage('workspaces belong to no namespace: leave --namespace out', 'api');
    const body = data === undefined ? undefined : bodyOf(await sourceOf(context, data));
    const { whole } = await context.client.ask({ method, path, body });
    return shownReply(context, whole, given.flag('reveal'));
  },
};

/** The secrets service, unless the path says otherwise. */
function absolute(path: string): string {
  const relative = path.replace(/^\/+/, '');
  return /^(?:v1|api|\.well-known)\//.test(relative) ? relative : `v1/${relative}`;
}

async function sourceOf({ questions }: Context, source: string): Promise<string> {
  if (source === '-') return questions.readAll();
  if (!source.startsWith('@')) return source;
  try {
    return await readFile(source.slice(1), 'utf8');
  } catch (error) {
    const { code = 'unreadable' } = error as NodeJS.ErrnoException;
    throw new CommandFailure('failed', `${source.slice(1)} cannot be read: ${code}`, 'keyferry api --help');
  }
}

/** The errors of the parser show parts of the text. */
function bodyOf(source: string): Value {
  try {
    return parseJson(source);
  } catch {
    throw usage('the body is not JSON', 'api');
  }
}

/** JSON also as a table, because any reply has a shape of its own. */
function shownReply({ settings }: Context, whole: Value | undefined, isRevealed: boolean): Result | undefined {
  if (whole === undefined) return undefined;
  const { token } = settings.connection;
  const hide = (shown: string) => (isRevealed || token === undefined ? shown : redacted(shown, [token]));
  if (typeof whole === 'string') return text(hide(whole));
  if (settings.format === 'table' || settings.format === 'wide') return text(`${hide(printJson(whole, 2))}\n`);
  return one(parseJson(hide(printJson(whole))));
}
