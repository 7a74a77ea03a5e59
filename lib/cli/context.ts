import { type Client, openClient } from '#client/client.ts';
import type { Secret } from '#core/secret.ts';
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
  return {
    ...parts,
    client: openClient(connection, parts.host.signal),
    clientWith: (token, codes) =>
      openClient({ ...connection, token, ...(codes === undefined ? {} : { codes }) }, parts.host.signal),
  };
}
