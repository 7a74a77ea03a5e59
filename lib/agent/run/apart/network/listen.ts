import type { ChildProcess } from 'node:child_process';
import { Server } from 'node:net';

/** What is behind a listener of a run: the proxies of the agent, or the server itself. */
export type Role = 'http' | 'socks' | 'server';

/** Where a run finds something on its own loopback interface. */
export interface Listener {
  readonly role: Role;
  readonly host: string;
  readonly port: number;
  /** The address may be absent on this machine. */
  readonly isOptional?: boolean;
}

/**
 * Listens in the network of a run, hands the listeners to the agent, and ends. It runs in a process of its own, from its text: it uses nothing from
 * outside of itself.
 */
function listenAndHandOver(net: typeof import('node:net'), own: NodeJS.Process): void {
  const listeners: readonly Listener[] = JSON.parse(own.argv[1] ?? '[]');
  const open = (at: number): void => {
    const next = listeners[at];
    if (next === undefined) return void own.send?.('all');
    const server = net.createServer();
    server.once('error', (error) => {
      if (next.isOptional === true) return open(at + 1);
      own.stderr.write(`keyferry: the network of the run cannot listen: ${error.message}\n`, () => own.exit(1));
    });
    server.listen({ host: next.host, port: next.port }, () => {
      own.send?.(next.role, server, {}, (error) => (error === null ? open(at + 1) : own.exit(1)));
    });
  };
  own.on('message', () => own.exit(0));
  own.on('disconnect', () => own.exit(1));
  open(0);
}

/** For `node -e`, with the listeners as its argument. */
export const listenProgram = `(${listenAndHandOver})(require('node:net'), process)`;

/**
 * Takes the listeners that a child hands over, and lets it go on when it has them all: the command of the run begins when they work. The child has
 * no other way to this process afterwards.
 */
export function takeListeners(child: ChildProcess, take: (role: Role, server: Server) => void): void {
  child.on('message', (message, handle) => {
    if (handle instanceof Server) take(message as Role, handle);
    else if (message === 'all') child.send('go', () => child.connected && child.disconnect());
  });
}
