import type { NetworkBounds } from './bounds.ts';

/**
 * What a sync client may connect to (docs/architecture.md, rule 5.3). Strict by default: special-purpose
 * addresses and ports other than 80 and 443 are refused, on the resolved address, when the connection is made. The
 * allow lists open exactly what they name, beside what is open by default.
 */
export interface NetworkPolicy {
  /** The field `disable_strict_networking`: no check at all. */
  readonly disabled: boolean;
  /** CIDR blocks. */
  readonly allowedIpv4: readonly string[];
  readonly allowedIpv6: readonly string[];
  readonly allowedPorts: readonly number[];
  /** PEM certificates trusted beside the system's own (the field `tls_ca_cert`). */
  readonly caCertificates: string | undefined;
  /** The certificates are trusted instead of the system's own. Absent: beside them. */
  readonly caCertificatesOnly?: boolean;
  /** What the operator of the server lets it open at most. Absent: all that it names. */
  readonly bounds?: NetworkBounds;
}

export const strictPolicy: NetworkPolicy = {
  disabled: false,
  allowedIpv4: [],
  allowedIpv6: [],
  allowedPorts: [],
  caCertificates: undefined,
};
