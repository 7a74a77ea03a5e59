import { LRUCache } from 'lru-cache';
import type { Clock } from '../../core/clock.ts';
import { isJsonObject, parseJson } from '../../core/json.ts';
import type { Log } from '../../core/log.ts';
import type {
  AppCredentials,
  CredentialFiles,
  DestinationDefinition,
  Driver,
  OpenDriver,
  SharedCredential,
} from '../../destinations/contract.ts';
import { openAtExit } from '../../destinations/frame/redaction/exit.ts';
import type { NetworkBounds } from '../../network/bounds.ts';
import type { NetworkPolicy } from '../../network/policy.ts';
import type { Fields, Input } from '../../path/fields.ts';
import type { Store } from '../../store/store.ts';
import type { DestinationNetwork } from '../rows/destinations/tables.ts';
import { openAppKey } from './app-key.ts';
import { givenOf, sealedName, withDefaults } from './connection.ts';
import { CountedDriver } from './wrapped.ts';

/** A type with its driver: what a worker of this type is made of. */
export interface Destination {
  readonly definition: DestinationDefinition;
  readonly openDriver: OpenDriver;
}

export interface DriverParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly timeouts: { readonly connectMs: number; readonly requestMs: number };
  /** What destinations may open of the network at most. */
  readonly networkBounds: NetworkBounds;
  /** See `DriverContext`. */
  readonly credentialFiles?: CredentialFiles | undefined;
}

/**
 * Open drivers of one type, kept by destination until its settings change or nobody has used it for a while. The one used
 * longest ago makes room.
 */
export interface Drivers {
  /** Whoever gets one closes it when done with it: it stays open until then. Undefined: the destination is no more. */
  open(destinationId: string, revision: number): Promise<Driver | undefined>;
  close(): Promise<void>;
}

const driversMax = 256;
/** A destination to which nothing goes keeps neither connections nor credentials in memory. */
const idleMsMax = 300_000;

export function keepDrivers(destination: Destination, parts: DriverParts): Drivers {
  const kept = new LRUCache<string, CountedDriver>({
    max: driversMax,
    ttl: idleMsMax,
    // The time it was used last counts, by our clock, read each time.
    updateAgeOnGet: true,
    perf: { now: () => parts.clock.now().getTime() },
    ttlResolution: 0,
    // Whatever takes it out: its age, one that makes room, a newer revision.
    dispose: (driver) => driver.retire(),
  });
  return {
    async open(destinationId, revision) {
      kept.purgeStale();
      const known = kept.get(destinationId);
      if (known !== undefined && known.revision >= revision) return known.lend();
      const driver = new CountedDriver(openOne(destination, parts, destinationId), revision);
      kept.set(destinationId, driver);
      try {
        return await driver.lend();
      } catch (cause) {
        if (kept.peek(destinationId) === driver) kept.delete(destinationId);
        throw cause;
      }
    },
    async close() {
      // Unlike its values, the dump has those too that are too old and still in use.
      await Promise.all(kept.dump().map(([, { value: driver }]) => driver.close()));
      kept.clear();
    },
  };
}

async function openOne(destination: Destination, parts: DriverParts, id: string): Promise<Driver | undefined> {
  const row = await parts.store.db
    .selectFrom('destinations')
    .select(['namespace_id', 'type', 'name', 'connection', 'network'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const given = givenOf(openConnection(parts.store, row, row.connection));
  const connection = withDefaults(destination.definition.fields, given);
  const { credential } = destination.definition;
  return openAtExit(destination, connection, {
    network: toNetworkPolicy(row.network, connection['tls_ca_cert'], parts.networkBounds),
    timeouts: parts.timeouts,
    clock: parts.clock,
    log: parts.log,
    app: async (name) => credential && loadApp(parts.store, credential, row.namespace_id, name),
    credentialFiles: parts.credentialFiles,
  });
}

/** Of a destination. */
export interface DestinationKey {
  readonly namespace_id: string;
  readonly type: string;
  readonly name: string;
}

export const connectionAad = ({ namespace_id, type, name }: DestinationKey): string =>
  `destinations/${sealedName(namespace_id, `${type}/${name}`)}`;

/** The connection details of a destination as they are stored, unsealed. */
export function openConnection(store: Store, key: DestinationKey, sealed: Buffer): Input<Fields> {
  const { type, name } = key;
  const details = parseJson(store.barrier.open(sealed, connectionAad(key)).toString());
  if (!isJsonObject(details)) throw new Error(`the connection details of ${type}/${name} are not an object`);
  return details;
}

function toNetworkPolicy(network: DestinationNetwork, caCertificates: unknown, bounds: NetworkBounds): NetworkPolicy {
  return {
    bounds,
    disabled: network.disable_strict_networking,
    allowedIpv4: network.allowed_ipv4_addresses,
    allowedIpv6: network.allowed_ipv6_addresses,
    allowedPorts: network.allowed_ports,
    caCertificates: typeof caCertificates === 'string' && caCertificates !== '' ? caCertificates : undefined,
  };
}

async function loadApp(
  store: Store,
  credential: SharedCredential,
  namespaceId: string,
  name: string,
): Promise<AppCredentials | undefined> {
  const apps = store.db.selectFrom('repo_host_apps').selectAll().where('namespace_id', '=', namespaceId);
  const row = await apps.where('name', '=', name).executeTakeFirst();
  if (row === undefined) return undefined;
  return {
    appId: Number(row.app_id),
    ...openAppKey(store, credential, sealedName(namespaceId, name), row.private_key),
  };
}
