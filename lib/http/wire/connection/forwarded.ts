import { isIP } from 'node:net';
import { type AddressList, unmapped } from '#core/address-list.ts';

/** Entries of `X-Forwarded-For` that are read, from the end. */
const hopsMax = 32;

/**
 * The address of the client behind trusted proxies. Each proxy appends its caller's address to `X-Forwarded-For`, so the list is
 * read from its end: the first address that is not a trusted proxy's is the client's, and the entries before it are unverified
 * claims of the client. An entry that is not an address ends the search at the proxy that sent it.
 */
export function clientAddress(peer: string, forwardedFor: string, trusted: AddressList): string {
  if (!trusted.has(peer)) return peer;
  let client = peer;
  for (const hop of forwardedFor.split(',').slice(-hopsMax).reverse()) {
    const address = addressOf(hop.trim());
    if (address === undefined) return client;
    client = address;
    if (!trusted.has(address)) return client;
  }
  return client;
}

/** An address may have a port, and an IPv6 address may be in brackets. */
function addressOf(hop: string): string | undefined {
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(hop)?.[1] ?? /^([\d.]+):\d+$/.exec(hop)?.[1] ?? hop;
  const address = unmapped(bare);
  return isIP(address) === 0 ? undefined : address;
}
