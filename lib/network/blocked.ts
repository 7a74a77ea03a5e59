import { errorChain, hasCode } from './error-chain.ts';
import type { Refusal } from './policy.ts';

/** The target of the connection. `address` is absent when the port alone decided, before the name was resolved. */
export interface Target {
  readonly host: string;
  readonly address?: string | undefined;
  readonly port: number;
}

const blockedCode = 'ERR_CONNECTION_BLOCKED';

/** The networking guard refused a connection. The message names the target, the rule and the field that would allow it. */
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

/** Whether the guard caused this error, according to `cause`, the members of an AggregateError, and error codes. */
export const isBlocked = (error: unknown): boolean => findBlocked(error) !== undefined;

/** The guard's message inside an SDK's error, or undefined. */
export function blockedMessage(error: unknown): string | undefined {
  return findBlocked(error)?.message;
}

const findBlocked = (error: unknown): Error | undefined =>
  errorChain(error).find((link) => link instanceof BlockedConnection || hasCode(link, blockedCode));

function shown({ host, address, port }: Target): string {
  return address === undefined || address === host ? `${host} port ${port}` : `${host} (${address}) port ${port}`;
}

function advice({ reason, field }: Refusal): string {
  return field === undefined ? reason : `${reason} (${field} opens it)`;
}
