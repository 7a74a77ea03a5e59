import { type Client, openClient, type Reply } from '#client/client.ts';
import type { Connection } from '#client/wire/connection.ts';
import { CallFailure } from '#client/wire/failure.ts';
import type { Secret } from '#core/secret.ts';
import { CommandFailure } from './failure.ts';
import type { Host } from './host.ts';
import type { Result } from './output/result.ts';
import type { Questions } from './questions/questions.ts';
import type { Settings } from './settings/settings.ts';

/** What a command works with. */
export interface Context {
  readonly host: Host;
  readonly settings: Settings;
  /** Calls with the token of the user. */
  readonly client: Client;
  readonly questions: Questions;
  /** Calls with another token, or with none; a login may come with the codes of second factors. */
  clientWith(token: Secret | undefined, codes?: Secret): Client;
  /** Values that must not appear in any message. */
  conceal(secret: Secret): void;
  /** A line on standard error. */
  say(line: string): void;
  /** Shows a result before the command ends. */
  show(result: Result): Promise<void>;
}

interface ContextParts extends Pick<Context, 'host' | 'settings' | 'questions' | 'say' | 'show' | 'conceal'> {}

export function openContext(parts: ContextParts): Context {
  const { connection } = parts.settings;
  if (connection.token !== undefined) parts.conceal(connection.token);
  const open = openerWithWarnings(parts);
  return {
    ...parts,
    client: connection.token === undefined ? refusedWithoutToken(open(connection)) : open(connection),
    clientWith: (token, codes) => open({ ...connection, token, ...(codes === undefined ? {} : { codes }) }),
  };
}

/** A token that is missing has no rights that could be looked up. */
function refusedWithoutToken(client: Client): Client {
  const explain = (error: unknown): never => {
    if (!(error instanceof CallFailure && error.status === 403)) throw error;
    throw new CommandFailure('token', `there is no token (${error.status}, ${error.request})`, 'keyferry login');
  };
  return {
    ...client,
    call: (...call) => client.call(...call).catch(explain),
    ask: (request) => client.ask(request).catch(explain),
  };
}

/** Opens clients that tell what the server warns of, such as fields that it ignored; each warning once. */
function openerWithWarnings({ host, say }: ContextParts): (connection: Connection) => Client {
  const told = new Set<string>();
  const tell = (reply: Reply): Reply => {
    for (const warning of reply.warnings.filter((one) => !told.has(one))) {
      told.add(warning);
      say(`warning: ${warning}`);
    }
    return reply;
  };
  return (connection) => {
    const client = openClient(connection, host.signal);
    return {
      ...client,
      call: async (...call) => tell(await client.call(...call)),
      ask: async (request) => tell(await client.ask(request)),
    };
  };
}
