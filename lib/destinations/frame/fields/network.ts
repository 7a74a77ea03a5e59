import { z } from 'zod';
import { parseBlock } from '#network/addresses.ts';
import type { NetworkBounds } from '#network/bounds.ts';
import type { NetworkPolicy } from '#network/policy.ts';
import { bool, type Input, integerList, sizeRule, textList } from '#path/fields.ts';
import { form } from './form.ts';

/** Entries of one allow list. */
const entriesMax = 256;
const entriesRule = (field: string) => ({ ...sizeRule(`${field} takes at most ${entriesMax} entries`), abort: true });

const blocks = (field: string, kind: 'ipv4' | 'ipv6', example: string) =>
  textList()
    .check(z.maxLength(entriesMax, entriesRule(field)))
    .superRefine((entries, context) => {
      for (const entry of entries) {
        if (parseBlock(entry)?.[0].kind() === kind) continue;
        const message = `invalid CIDR address ${JSON.stringify(entry)}: ${field} takes blocks such as ${example}`;
        context.addIssue({ code: 'custom', message });
      }
    })
    .default([]);

const ports = () =>
  integerList()
    .check(z.maxLength(entriesMax, entriesRule('allowed_ports')))
    .superRefine((entries, context) => {
      for (const port of entries) {
        if (port >= 1 && port <= 65_535) continue;
        context.addIssue({ code: 'custom', message: `invalid port ${port}: allowed_ports takes 1 to 65535` });
      }
    })
    .default([]);

/** Common to all destination types (docs/destinations/README.md). */
export const networkFields = {
  disable_strict_networking: bool()
    .default(false)
    .meta({
      description: 'Disable the restrictions on addresses and ports that the sync client may connect to',
      ...form('Disable strict networking', 'network'),
    }),
  allowed_ipv4_addresses: blocks('allowed_ipv4_addresses', 'ipv4', '10.0.0.0/8').meta({
    description: 'IPv4 CIDR blocks that the sync client may connect to, in addition to public addresses',
    ...form('Allowed IPv4 blocks', 'network'),
  }),
  allowed_ipv6_addresses: blocks('allowed_ipv6_addresses', 'ipv6', 'fd00::/8').meta({
    description: 'IPv6 CIDR blocks that the sync client may connect to, in addition to public addresses',
    ...form('Allowed IPv6 blocks', 'network'),
  }),
  allowed_ports: ports().meta({
    description: 'Ports that the sync client may connect to, in addition to 80 and 443',
    ...form('Allowed ports', 'network'),
  }),
};

/** `tlsCaCert`: PEM, from the destination's `tls_ca_cert`. `bounds`: what the server allows destinations to open. */
export function toPolicy(
  input: Input<typeof networkFields>,
  tlsCaCert: string | undefined,
  bounds: NetworkBounds,
): NetworkPolicy {
  return {
    disabled: input.disable_strict_networking,
    allowedIpv4: input.allowed_ipv4_addresses,
    allowedIpv6: input.allowed_ipv6_addresses,
    allowedPorts: input.allowed_ports,
    caCertificates: tlsCaCert === '' ? undefined : tlsCaCert,
    caCertificatesOnly: false,
    bounds,
  };
}
