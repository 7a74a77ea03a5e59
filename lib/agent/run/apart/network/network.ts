import type { ChildProcess } from 'node:child_process';
import type { Environment } from '../programs.ts';
import { listenersFor, proxyVariables, sshProxyProgram } from './environment.ts';
import type { Guard } from './guard.ts';
import { namespaceParts, namespaceScript } from './namespace.ts';
import { type ServedNetwork, serveNetwork } from './serve.ts';

/** A network that a run has for itself: its loopback interface, on which the agent serves what the run may reach. */
export interface GuardedNetwork {
  /** The script of the shell that begins in it, with the command in its arguments. */
  readonly script: string;
  /** The variables by which programs find the proxies. */
  readonly variables: Readonly<Record<string, string>>;
  /** The program of a run that connects SSH. */
  readonly sshProgram: string;
  /** Programs that a run needs for that. */
  readonly programs: readonly string[];
  /** Serves the network of a command, whose process has a channel to this one. */
  serve(child: ChildProcess): ServedNetwork;
}

/** Undefined: the machine does not have the programs. */
export async function networkOn(guard: Guard, environment: Environment): Promise<GuardedNetwork | undefined> {
  const parts = await namespaceParts(environment);
  if (parts === undefined) return undefined;
  const listeners = listenersFor(guard.server);
  return {
    script: namespaceScript(parts, listeners),
    variables: proxyVariables(listeners),
    sshProgram: sshProxyProgram(listeners),
    programs: [parts.node],
    serve: (child) => serveNetwork(guard, child),
  };
}
