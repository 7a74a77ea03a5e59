import { agent, type Setting } from './setting.ts';

export const agentSettings = {
  KEYFERRY_AGENT_ADDRESS: { readers: agent, meaning: 'Address of the server' },
  KEYFERRY_AGENT_TOKEN: { readers: agent, meaning: 'Token of the agent pool' },
  KEYFERRY_AGENT_TOKEN_FILE: { readers: agent, meaning: 'File with that token' },
  KEYFERRY_AGENT_NAME: { readers: agent, default: 'the host name', meaning: 'Name in the list of agents' },
  KEYFERRY_AGENT_ENGINES: {
    readers: agent,
    meaning:
      'Folder of engines, `<version>/terraform` or `<version>/tofu`, beside those on the `PATH`. Nothing is downloaded',
  },
  KEYFERRY_AGENT_ENGINE: {
    readers: agent,
    meaning:
      '`terraform` or `tofu`: the engine of workspaces that both can serve. The other one serves those that only it can',
  },
  KEYFERRY_AGENT_DIR: {
    readers: agent,
    default: 'the folder for temporary files',
    meaning: 'Where the private folders of runs are made',
  },
  KEYFERRY_AGENT_HEALTH_FILE: {
    readers: agent,
    meaning: 'File that is written whenever the server has answered; the health check of the container reads it',
  },
  KEYFERRY_AGENT_USER: {
    readers: agent,
    default: 'the user of the agent',
    meaning:
      'User and group of runs, as `1000:1000`; only an agent of root can choose them. If it does not, each run has [a user of its own](workspaces/agents.md#isolation)',
  },
  KEYFERRY_AGENT_ISOLATION: {
    readers: agent,
    meaning:
      '`auto`: runs see no processes and no folders but their own, if the machine [can do that](workspaces/agents.md#isolation); `required`: else the agent does not start; `none`',
  },
  KEYFERRY_AGENT_NETWORK: {
    readers: agent,
    meaning:
      '`guarded`: isolated runs reach [public addresses](workspaces/agents.md#network) and the server, by proxies of the agent; `open`: they have the network of the machine',
  },
  KEYFERRY_AGENT_NETWORK_ALLOWED: {
    readers: agent,
    default: '`none`',
    meaning:
      'Special-purpose addresses that guarded runs may reach too: `none`, `all`, or CIDR blocks separated by commas, such as `10.20.0.0/16`',
  },
  KEYFERRY_AGENT_RUN_MS_MAX: { readers: agent, meaning: 'Limit for one command of the engine' },
  KEYFERRY_AGENT_GRACE_MS: {
    readers: agent,
    meaning: 'How long an engine that was interrupted may write its state before it is killed',
  },
  KEYFERRY_AGENT_DISK_BYTES_MAX: { readers: agent, meaning: 'Bytes that one part of a run may write' },
  KEYFERRY_AGENT_MEMORY_BYTES_MAX: {
    readers: agent,
    meaning: 'Memory of all processes of a run; one that takes more is killed',
  },
  KEYFERRY_AGENT_PROCESSES_MAX: { readers: agent, meaning: 'Processes and threads of a run' },
} as const satisfies Readonly<Record<string, Setting>>;
