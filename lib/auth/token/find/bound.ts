import { isIP } from 'node:net';
import { LRUCache } from 'lru-cache';
import { type Block, covers, holds, parseBlock } from '../../../network/addresses.ts';

/** The blocks that were read last; those of one role come with each of its tokens. */
const known = new LRUCache<string, { readonly block: Block | undefined }>({ max: 1_000 });

/** Whether a token that is bound to these blocks may be used from the address. No block: from everywhere. */
export function mayComeFrom(cidrs: readonly string[], address: string | undefined): boolean {
  if (cidrs.length === 0) return true;
  if (address === undefined || isIP(address) === 0) return false;
  return cidrs.some((cidr) => {
    const block = blockOf(cidr);
    return block !== undefined && holds(block, address);
  });
}

/** Whether one of the blocks has every address of another. */
export const isWithin = (cidr: string, outer: readonly string[]): boolean => {
  const inner = blockOf(cidr);
  return inner !== undefined && outer.some((one) => isCovered(blockOf(one), inner));
};

const isCovered = (outer: Block | undefined, inner: Block): boolean => outer !== undefined && covers(outer, inner);

/** A block in the form in which it is kept; a single address is the block of itself. Undefined: it is none. */
export function boundCidr(text: string): string | undefined {
  const given = text.trim();
  const family = isIP(given);
  const cidr = family === 0 ? given : `${given}/${family === 4 ? 32 : 128}`;
  return parseBlock(cidr) === undefined ? undefined : cidr;
}

/** A kept block as clients of the API family read it: the block of one address is the address, else their plans show a change for ever. */
export const shownCidr = (cidr: string): string => cidr.replace(/(?<=\.\d+)\/32$|(?<=:.*)\/128$/, '');

function blockOf(cidr: string): Block | undefined {
  const found = known.get(cidr) ?? { block: parseBlock(cidr) };
  known.set(cidr, found);
  return found.block;
}
