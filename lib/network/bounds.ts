import { ConfigError } from '#core/config.ts';
import { type Block, covers, holds, isOrdinary, parseBlock } from './addresses.ts';

/** The most that the operator of the server lets destinations open, in addition to the default. */
export interface NetworkBounds {
  /** Everything may be opened, and the guard may be disabled. */
  readonly all: boolean;
  readonly blocks: readonly Block[];
  /** Inclusive ranges. */
  readonly ports: readonly (readonly [number, number])[];
  /** What messages say of a target beyond the bounds. */
  readonly closed: string;
}

/** The server's setting, which messages name. */
export const boundsSetting = 'KEYFERRY_NETWORK_ALLOWED';

/** A setting that holds bounds, in the words of messages. */
export interface BoundsSetting {
  readonly name: string;
  readonly closed: string;
}

const ofServer: BoundsSetting = {
  name: boundsSetting,
  closed: `${boundsSetting} of the server does not let destinations open it`,
};

/** Ports that are open by default. */
export const publicPorts: readonly number[] = [80, 443];

const portMax = 65_535;

/**
 * Parses the setting: `all`, `none`, or a comma-separated list of CIDR blocks, ports and port ranges, such as
 * `10.20.0.0/16,8443,9000-9010`. Undefined means `none`.
 *
 * @throws ConfigError that names the invalid entry
 */
export function readBounds(setting = 'none', { name, closed } = ofServer): NetworkBounds {
  const entries = setting.split(',').flatMap((one) => one.trim() || []);
  const words = entries.filter((entry) => entry === 'all' || entry === 'none');
  if (words.length > 0 && entries.length > 1) throw new ConfigError(`${name}: ${words[0]} must be the only entry`);
  if (words.length > 0) return { all: words[0] === 'all', blocks: [], ports: [], closed };
  const read = entries.map((entry) => [entry, parseBlock(entry), parsePorts(entry)] as const);
  const wrong = read.find(([, block, ports]) => block === undefined && ports === undefined);
  if (wrong !== undefined) {
    const rule = 'it takes all, none, or blocks such as 10.20.0.0/16 and ports such as 8443 or 9000-9010';
    throw new ConfigError(`${name}: ${JSON.stringify(wrong[0])} is neither a block nor a port: ${rule}`);
  }
  return {
    all: false,
    blocks: read.flatMap(([, block]) => (block === undefined ? [] : [block])),
    ports: read.flatMap(([, , ports]) => (ports === undefined ? [] : [ports])),
    closed,
  };
}

function parsePorts(entry: string): readonly [number, number] | undefined {
  const [, from, to = from] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(entry) ?? [];
  const range = [Number(from), Number(to)] as const;
  return range[0] >= 1 && range[0] <= range[1] && range[1] <= portMax ? range : undefined;
}

/** Whether the bounds allow a destination to reach this special-purpose address. */
export const admitsAddress = ({ all, blocks }: NetworkBounds, address: string): boolean =>
  all || blocks.some((block) => holds(block, address));

export const admitsPort = ({ all, ports }: NetworkBounds, port: number): boolean =>
  all || publicPorts.includes(port) || ports.some(([from, to]) => port >= from && port <= to);

/** Whether a destination may name this block: it has only ordinary addresses, or one block of the bounds contains it. */
export function admitsBlock({ all, blocks }: NetworkBounds, text: string): boolean {
  const block = parseBlock(text);
  if (all || block === undefined) return all;
  return isOrdinary(block) || blocks.some((outer) => covers(outer, block));
}
