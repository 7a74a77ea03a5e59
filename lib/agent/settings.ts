import type { Secret } from '#core/secret.ts';
import type { NetworkBounds } from '#network/bounds.ts';

/** The user and group of a process. */
export interface User {
  readonly uid: number;
  readonly gid: number;
}

/** Users of whom each run gets another one, with a group of the same number. */
export interface Users {
  readonly first: number;
  readonly last: number;
}

/** What an agent is told at its start. */
export interface AgentSettings {
  /** Without a trailing slash. */
  readonly address: string;
  readonly token: Secret;
  readonly name: string;
  readonly version: string;
  /** `<folder>/<version>/terraform`; undefined: only the engines on the path. */
  readonly engines: string | undefined;
  /** The engine of workspaces that several can serve; absent: `terraform`. */
  readonly engine?: 'terraform' | 'tofu';
  /** The parent of the private folders of runs. */
  readonly folder: string;
  /** Written whenever the server has answered. */
  readonly healthFile: string | undefined;
  /** The user of the engine's processes; only root can choose another one than its own. */
  readonly user: User | undefined;
  /** If no user is chosen: each run gets another one of these. */
  readonly users?: Users;
  /** Files that runs must not read, such as the one with the token. */
  readonly hiddenFiles: readonly string[];
  readonly isolation: 'auto' | 'required' | 'none';
  /** `open`: isolated runs have the network of the machine, as those that are not isolated. */
  readonly network: 'guarded' | 'open';
  /** The special-purpose addresses that runs may reach. */
  readonly networkAllowed: NetworkBounds;
  /** Limit for each part of a run. */
  readonly runMsMax: number;
  readonly diskBytesMax: number;
  /** Memory of all processes of a run. */
  readonly memoryBytesMax: number;
  /** Processes and threads of a run. */
  readonly processesMax: number;
  /** From the interruption of an engine until it is killed. */
  readonly graceMs: number;
  /** The environment of the agent. Runs get only the names that they need. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}
