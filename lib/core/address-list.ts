import { BlockList, isIP } from 'node:net';

/** IP addresses and CIDR blocks of both families. */
export interface AddressList {
  /** False for anything but an IP address. `::ffff:192.0.2.1` is treated as `192.0.2.1`. */
  has(address: string): boolean;
}

export const noAddresses: AddressList = { has: () => false };

/** An IPv4 address in the IPv6 form that dual-stack sockets report. */
export const unmapped = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '');

/** Parses a comma-separated list of addresses and blocks, such as `10.0.0.0/8,2001:db8::1`. Undefined when an entry is invalid. */
export function parseAddressList(text: string): AddressList | undefined {
  const list = new BlockList();
  for (const part of text.split(',').flatMap((one) => one.trim() || [])) if (!add(list, part)) return undefined;
  return {
    has(address) {
      const plain = unmapped(address);
      const family = isIP(plain);
      return family !== 0 && list.check(plain, family === 4 ? 'ipv4' : 'ipv6');
    },
  };
}

function add(list: BlockList, part: string): boolean {
  const [address = '', bits, ...rest] = part.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  if (bits === undefined) {
    list.addAddress(address, family);
    return true;
  }
  if (!/^\d{1,3}$/.test(bits) || Number(bits) > (version === 4 ? 32 : 128)) return false;
  list.addSubnet(address, Number(bits), family);
  return true;
}
