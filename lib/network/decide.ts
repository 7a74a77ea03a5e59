import { classify, holds, parseBlock } from './addresses.ts';
import { admitsAddress, admitsPort, boundsSetting, publicPorts } from './bounds.ts';
import type { NetworkPolicy } from './policy.ts';

/** Why a connection is refused, and the request field that would open it. */
export interface Refusal {
  /** `127.0.0.1 is in 127.0.0.0/8 (loopback)`. */
  readonly reason: string;
  readonly field: 'allowed_ipv4_addresses' | 'allowed_ipv6_addresses' | 'allowed_ports' | undefined;
}

/** May this policy connect to this IP address and port? Empty: yes. Otherwise everything that stands against it. */
export function decide(policy: NetworkPolicy, address: string, port: number): readonly Refusal[] {
  return [decideAddress(policy, address), decidePort(policy, port)].filter((refusal) => refusal !== undefined);
}

export function decideAddress(policy: NetworkPolicy, address: string): Refusal | undefined {
  if (isOff(policy)) return undefined;
  const { family, text, rule } = classify(address);
  if (rule === undefined) return undefined;
  const reason = `${text === address ? address : `${address}, that is ${text},`} is in ${rule}`;
  const allowed = family === 4 ? policy.allowedIpv4 : policy.allowedIpv6;
  if (!policy.disabled && !allowed.some((cidr) => opens(cidr, address)))
    return { reason, field: `allowed_ipv${family}_addresses` };
  return policy.bounds === undefined || admitsAddress(policy.bounds, address) ? undefined : closedByServer(reason);
}

export function decidePort(policy: NetworkPolicy, port: number): Refusal | undefined {
  if (isOff(policy) || publicPorts.includes(port)) return undefined;
  const reason = `port ${port} is neither 80 nor 443`;
  if (!policy.disabled && !policy.allowedPorts.includes(port)) return { reason, field: 'allowed_ports' };
  return policy.bounds === undefined || admitsPort(policy.bounds, port) ? undefined : closedByServer(reason);
}

/** The guard is off only where the server lets a destination switch it off. */
const isOff = ({ disabled, bounds }: NetworkPolicy): boolean => disabled && (bounds === undefined || bounds.all);

/** The destination opens it, and the server does not let it. No field of a request helps. */
const closedByServer = (reason: string): Refusal => ({
  reason: `${reason}, and ${boundsSetting} of the server does not let destinations open it`,
  field: undefined,
});

/** A block that cannot be read opens nothing. */
function opens(cidr: string, address: string): boolean {
  const block = parseBlock(cidr);
  return block !== undefined && holds(block, address);
}
