import { isIP } from 'node:net';
import { LRUCache } from 'lru-cache';
import { type Block, covers, holds, parseBlock } from '#network/addresses.ts';

/** A cache of parsed blocks, since every token of a role has the same ones. */
const known = new LRUCache<string, { readonly block: Block | undefined }>({ max: 1_000 });

/** Whether an address is in one of the blocks. Without blocks every address is allowed. */
export function isAddressAllowed(cidrs: readonly string[], address: string | undefined): boolean {
  if (cidrs.length === 0) return true;
  if (address === undefined || isIP(address) === 0) return false;
  return cidrs.some((cidr) => {
    const block = blockOf(cidr);
    return block !== undefined && holds(block, address);
  });
}

/** Whether one of the outer blocks contains every address of a block. */
export const isWithin = (cidr: string, outer: readonly string[]): boolean => {
  const inner = blockOf(cidr);
  return inner !== undefined && outer.some((one) => isCovered(blockOf(one), inner));
};

const isCovered = (outer: Block | undefined, inner: Block): boolean => outer !== undefined && covers(outer, inner);

/** A block in its stored form; a single address becomes a block. Undefined when the text is neither. */
export function cidrOf(text: string): string | undefined {
  const given = text.trim();
  const family = isIP(given);
  const cidr = family === 0 ? given : `${given}/${family === 4 ? 32 : 128}`;
  return parseBlock(cidr) === undefined ? undefined : cidr;
}

/**
 * A stored block as clients read it. The block of one address is shown as that address, as it was most likely written: otherwise
 * declarative clients would report a change on every run.
 */
export const shownCidr = (cidr: string): string => cidr.replace(/(?<=\.\d+)\/32$|(?<=:.*)\/128$/, '');

function blockOf(cidr: string): Block | undefined {
  const found = known.get(cidr) ?? { block: parseBlock(cidr) };
  known.set(cidr, found);
  return found.block;
}
