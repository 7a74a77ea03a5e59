import { classify, holds, parseBlock } from './addresses.ts';
import { admitsAddress, admitsPort, type NetworkBounds, publicPorts, readBounds } from './bounds.ts';
import type { DialTrace } from './trace.ts';

/**
 * The targets that a sync client may connect to. Strict by default: special-purpose addresses and ports other than 80 and 443 are
 * refused by the resolved address at connection time. The allow lists open exactly the targets they name, in addition to the
 * default.
 */
export interface NetworkPolicy {
  /** The field `disable_strict_networking`, which disables all checks. */
  readonly disabled: boolean;
  /** CIDR blocks. */
  readonly allowedIpv4: readonly string[];
  readonly allowedIpv6: readonly string[];
  readonly allowedPorts: readonly number[];
  /** PEM certificates trusted in addition to the system's (the field `tls_ca_cert`). */
  readonly caCertificates: string | undefined;
  /** Whether the certificates replace the system's instead of being added to them. */
  readonly caCertificatesOnly: boolean;
  /** The most that the operator of the server lets the policy open. */
  readonly bounds: NetworkBounds;
  /** Is told of each step of each connection. */
  readonly trace?: DialTrace;
}

/** Opens nothing, even when allow lists are added, because its bounds are empty too. */
export const strictPolicy: NetworkPolicy = {
  disabled: false,
  allowedIpv4: [],
  allowedIpv6: [],
  allowedPorts: [],
  caCertificates: undefined,
  caCertificatesOnly: false,
  bounds: readBounds('none'),
};

/** Why a connection is refused, and the request field that would allow it. */
export interface Refusal {
  /** `127.0.0.1 is in 127.0.0.0/8 (loopback)`. */
  readonly reason: string;
  readonly field: 'allowed_ipv4_addresses' | 'allowed_ipv6_addresses' | 'allowed_ports' | undefined;
}

/** All reasons why this policy refuses this IP address and port; empty when it allows them. */
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
  return admitsAddress(policy.bounds, address) ? undefined : closedBy(policy.bounds, reason);
}

export function decidePort(policy: NetworkPolicy, port: number): Refusal | undefined {
  if (isOff(policy) || publicPorts.includes(port)) return undefined;
  const reason = `port ${port} is neither 80 nor 443`;
  if (!policy.disabled && !policy.allowedPorts.includes(port)) return { reason, field: 'allowed_ports' };
  return admitsPort(policy.bounds, port) ? undefined : closedBy(policy.bounds, reason);
}

/** A destination can disable the guard only if the server allows it. */
const isOff = ({ disabled, bounds }: NetworkPolicy): boolean => disabled && bounds.all;

/** The destination names it, but the operator does not allow it; no request field can change that. */
const closedBy = ({ closed }: NetworkBounds, reason: string): Refusal => ({
  reason: `${reason}, and ${closed}`,
  field: undefined,
});

/** An invalid block opens nothing. */
function opens(cidr: string, address: string): boolean {
  const block = parseBlock(cidr);
  return block !== undefined && holds(block, address);
}
