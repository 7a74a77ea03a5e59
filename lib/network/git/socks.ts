import { randomBytes } from 'node:crypto';
import { greet } from '../connection/socks.ts';
import type { NetworkPolicy } from '../policy.ts';
import { openRelay, type Relay, type RelayLimits } from './relay.ts';

/** A SOCKS5 proxy for one program, as curl expects it: `socks5h`, which leaves the resolution of names to the proxy. */
export interface SocksProxy extends Relay {
  /** With the password that keeps other programs of the machine away. */
  readonly url: string;
}

const user = 'git';

export async function openSocksProxy(policy: NetworkPolicy, limits: RelayLimits): Promise<SocksProxy> {
  const password = randomBytes(24).toString('hex');
  const relay = await openRelay(policy, limits, (client) => greet(client, { user, password }));
  return {
    port: relay.port,
    url: `socks5h://${user}:${password}@127.0.0.1:${relay.port}`,
    get failure() {
      return relay.failure;
    },
    close: () => relay.close(),
  };
}
