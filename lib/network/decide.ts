import { classify, holds, parseBlock } from './addresses.ts';
import type { NetworkPolicy } from './policy.ts';

/** Why a connection is refused, and the request field that would open it. */
export interface Refusal {
  /** `127.0.0.1 is in 127.0.0.0/8 (loopback)`. */
  readonly reason: string;
  readonly field: 'allowed_ipv4_addresses' | 'allowed_ipv6_addresses' | 'allowed_ports' | undefined;
}

/** Open without being named (specification, sync document 4.3). */
const publicPorts: readonly number[] = [80, 443];

/** May this policy connect to this IP address and port? Empty: yes. Otherwise everything that stands against it. */
export function decide(policy: NetworkPolicy, address: string, port: number): readonly Refusal[] {
  return [decideAddress(policy, address), decidePort(policy, port)].filter((refusal) => refusal !== undefined);
}

export function decideAddress(policy: NetworkPolicy, address: string): Refusal | undefined {
  if (policy.disabled) return undefined;
  const { family, text, rule } = classify(address);
  const allowed = family === 4 ? policy.allowedIpv4 : policy.allowedIpv6;
  if (rule === undefined || allowed.some((cidr) => opens(cidr, address))) return undefined;
  const shown = text === address ? address : `${address}, that is ${text},`;
  return { reason: `${shown} is in ${rule}`, field: `allowed_ipv${family}_addresses` };
}

export function decidePort(policy: NetworkPolicy, port: number): Refusal | undefined {
  if (policy.disabled || publicPorts.includes(port) || policy.allowedPorts.includes(port)) return undefined;
  return { reason: `port ${port} is neither 80 nor 443`, field: 'allowed_ports' };
}

/** A block that cannot be read opens nothing. */
function opens(cidr: string, address: string): boolean {
  const block = parseBlock(cidr);
  return block !== undefined && holds(block, address);
}
