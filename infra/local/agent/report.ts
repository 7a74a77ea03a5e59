import type { Server } from './pool.ts';
import { type LocalAgent, startLocalAgent } from './start.ts';

/** The organization that the development server makes for its agent. */
export const organization = 'dev';

/** Starts the agent of the development server, and says so, or why there is none: the server runs without it. */
export async function localAgent(server: Server, report: (text: string) => void): Promise<LocalAgent | undefined> {
  try {
    const agent = await startLocalAgent(server, organization, ownSettings());
    report(`an agent runs plans and applies of the organization ${organization} with ${agent.engines.join(', ')}`);
    return agent;
  } catch (error) {
    const reason =
      error instanceof Error ? [error.message, causeOf(error)].filter((one) => one !== '').join(': ') : error;
    report(`no agent runs plans and applies: ${reason}`);
    return undefined;
  }
}

const causeOf = ({ cause }: Error): string => (cause instanceof Error ? cause.message : '');

const ownSettings = () =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('KEYFERRY_AGENT_')));
