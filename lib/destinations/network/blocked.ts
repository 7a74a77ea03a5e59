import type { Refusal } from './decide.ts';

/** What was to be connected to. `address` is absent where the port alone decided, before any name was resolved. */
export interface Target {
  readonly host: string;
  readonly address?: string | undefined;
  readonly port: number;
}

/** Some SDKs build a new error and keep nothing of the old one but its code. */
const blockedCode = 'ERR_CONNECTION_BLOCKED';
/** Errors looked at in a chain; a longer one, or a cycle, ends here. */
const chainLengthMax = 32;

/** The networking guard refused a connection. The message names target, rule and the field that opens it. */
export class BlockedConnection extends Error {
  readonly code = blockedCode;
  readonly target: Target;
  readonly refusals: readonly Refusal[];

  constructor(target: Target, refusals: readonly Refusal[]) {
    super(`strict networking blocked the connection to ${shown(target)}: ${refusals.map(advice).join('; ')}`);
    this.name = 'BlockedConnection';
    this.target = target;
    this.refusals = refusals;
  }
}

/** Whether the guard is behind this error: looks through `cause`, the members of an AggregateError, and error codes. */
export const isBlocked = (error: unknown): boolean => findBlocked(error) !== undefined;

/** The guard's message behind an SDK's error, or undefined. */
export function blockedMessage(error: unknown): string | undefined {
  return findBlocked(error)?.message;
}

function findBlocked(error: unknown): Error | undefined {
  const chain = [error];
  for (const link of chain) {
    if (!(link instanceof Error)) continue;
    if (link instanceof BlockedConnection || ('code' in link && link.code === blockedCode)) return link;
    const next = link instanceof AggregateError ? [link.cause, ...link.errors] : [link.cause];
    chain.push(...next.slice(0, chainLengthMax - chain.length));
  }
  return undefined;
}

function shown({ host, address, port }: Target): string {
  return address === undefined || address === host ? `${host} port ${port}` : `${host} (${address}) port ${port}`;
}

function advice({ reason, field }: Refusal): string {
  return field === undefined ? reason : `${reason} (${field} opens it)`;
}
