import { type Environment, programOnPath } from '../programs.ts';
import { quoted } from '../shell.ts';
import { type Listener, listenProgram } from './listen.ts';

/** The programs that make the network of a run, by their absolute names. */
export interface NamespaceParts {
  /** Words of a shell that bring the loopback interface up. */
  readonly loopbackUp: string;
  readonly node: string;
}

/** SIOCSIFFLAGS with IFF_UP and IFF_RUNNING, as netdevice(7) has them. */
const perlProgram =
  'use Socket; socket(my $s, AF_INET, SOCK_DGRAM, 0) or die; my $up = pack("a16 s x22", "lo", 0x41); ioctl($s, 0x8914, $up) or die "lo: $!\\n"';

/** `ip`, or perl, which every Debian has. Undefined: the machine has neither, and a run would have no loopback interface. */
export async function namespaceParts(environment: Environment): Promise<NamespaceParts | undefined> {
  const node = process.execPath;
  const ip = await programOnPath('ip', environment);
  if (ip !== undefined) return { node, loopbackUp: `${quoted(ip)} link set lo up` };
  const perl = await programOnPath('perl', environment);
  return perl === undefined ? undefined : { node, loopbackUp: `${quoted(perl)} -e ${quoted(perlProgram)}` };
}

/**
 * The script of the shell that begins in the new network: it brings the interface up, hands the listeners to the agent, and becomes the command in
 * its arguments, which inherits nothing of the channel.
 */
export const namespaceScript = ({ loopbackUp, node }: NamespaceParts, listeners: readonly Listener[]): string =>
  [
    `${loopbackUp} || exit 125`,
    `${quoted(node)} -e ${quoted(listenProgram)} ${quoted(JSON.stringify(listeners))} || exit 125`,
    'unset NODE_CHANNEL_FD NODE_CHANNEL_SERIALIZATION_MODE',
    'exec "$@" 3>&-',
  ].join('\n');
