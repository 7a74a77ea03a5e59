import type { Context } from '../../context.ts';
import type { Given, Verb } from '../../verb.ts';

export const agent: Verb = {
  name: 'agent',
  summary: 'Run the plans and applies of an agent pool with the engine of this machine',
  isOutsideNamespaces: true,
  options: [
    [
      '--token-file <file>',
      'file with the token of the pool; default: KEYFERRY_AGENT_TOKEN, KEYFERRY_AGENT_TOKEN_FILE',
    ],
    ['--name <name>', 'name in the list of agents; default: KEYFERRY_AGENT_NAME, the host name'],
    ['--engines <folder>', 'folder of engines, <version>/terraform; default: KEYFERRY_AGENT_ENGINES, the PATH'],
    [
      '--engine <name>',
      'terraform or tofu, if either could run a configuration; default: KEYFERRY_AGENT_ENGINE, terraform',
    ],
    ['--dir <folder>', 'where the private folders of runs are made; default: KEYFERRY_AGENT_DIR'],
    ['--isolation <mode>', 'auto, required or none; default: KEYFERRY_AGENT_ISOLATION, auto'],
    ['--network <mode>', 'guarded or open, the network of runs; default: KEYFERRY_AGENT_NETWORK, guarded'],
    ['--check', 'end once the agent could take work'],
  ],
  examples: ['keyferry agent --token-file pool-token.txt --check'],
  async run(context, given) {
    await context.host.runAgent({ environment: environmentOf(context, given), checks: given.flag('check') });
    return undefined;
  },
};

const settings = {
  tokenFile: 'KEYFERRY_AGENT_TOKEN_FILE',
  name: 'KEYFERRY_AGENT_NAME',
  engines: 'KEYFERRY_AGENT_ENGINES',
  engine: 'KEYFERRY_AGENT_ENGINE',
  dir: 'KEYFERRY_AGENT_DIR',
  isolation: 'KEYFERRY_AGENT_ISOLATION',
  network: 'KEYFERRY_AGENT_NETWORK',
} as const;

/** The environment of the program, in which options take precedence. The token itself is never an option: other users could see it. */
function environmentOf({ host, settings: { connection } }: Context, given: Given) {
  const options = Object.entries(settings).flatMap(([option, name]) => {
    const value = given.text(option);
    return value === undefined ? [] : [[name, value] as const];
  });
  const address = given.text('address') === undefined ? host.environment['KEYFERRY_AGENT_ADDRESS'] : undefined;
  const fromOptions = Object.fromEntries(options);
  // A file that is named on the command line must not lose to a variable.
  const token = fromOptions[settings.tokenFile] === undefined ? {} : { KEYFERRY_AGENT_TOKEN: undefined };
  return {
    ...host.environment,
    ...token,
    ...fromOptions,
    KEYFERRY_AGENT_ADDRESS: address ?? connection.address,
  };
}
