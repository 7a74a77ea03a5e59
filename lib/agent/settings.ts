import type { Secret } from '#core/secret.ts';
import type { NetworkBounds } from '#network/bounds.ts';

/** What an agent is told at its start. */
export interface AgentSettings {
  /** Without a trailing slash. */
  readonly address: string;
  readonly token: Secret;
  readonly name: string;
  readonly version: string;
  /** `<folder>/<version>/terraform`; undefined: only the engines on the path. */
  readonly engines: string | undefined;
  /** The parent of the private folders of runs. */
  readonly folder: string;
  /** Written whenever the server has answered. */
  readonly healthFile: string | undefined;
  /** The user and group of the engine's processes; only root can choose them. */
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
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
