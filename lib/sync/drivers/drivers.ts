import { LRUCache } from 'lru-cache';
import type { Clock } from '#core/clock.ts';
import { isJsonObject, parseJson } from '#core/json/json.ts';
import type { Log } from '#core/log/log.ts';
import type {
  AppCredentials,
  CredentialFiles,
  DestinationDefinition,
  Driver,
  OpenDriver,
  SharedCredential,
} from '#destinations/contract.ts';
import { openRedacted } from '#destinations/frame/redaction/open-redacted.ts';
import type { NetworkBounds } from '#network/bounds.ts';
import type { NetworkPolicy } from '#network/policy.ts';
import type { DialTrace } from '#network/trace.ts';
import type { Fields, Input } from '#path/fields.ts';
import { pick } from '#store/sql/columns.ts';
import { asRows } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { type DestinationNetwork, destinationColumns } from '../model/destination-network.ts';
import { openAppKey } from './app-key.ts';
import { givenOf, sealedName, withDefaults } from './connection.ts';
import { CountedDriver } from './wrapped.ts';

/** A destination type with its driver, as a worker of this type needs them. */
export interface Destination {
  readonly definition: DestinationDefinition;
  readonly openDriver: OpenDriver;
}

export interface DriverParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly timeouts: { readonly connectMs: number; readonly requestMs: number };
  /** The widest network access that destinations may have. */
  readonly networkBounds: NetworkBounds;
  /** See `DriverContext`. */
  readonly credentialFiles: CredentialFiles;
}

/**
 * Open drivers of one type, kept per destination until its settings change or it has been idle for a while. When the limit is
 * reached, the least recently used one is evicted.
 */
export interface Drivers {
  /** The caller closes the driver after use; it stays open until then. Undefined when the destination no longer exists. */
  open(destinationId: string, revision: number): Promise<Driver | undefined>;
  close(): Promise<void>;
}

const driversMax = 256;
/** An idle destination keeps neither connections nor credentials in memory after this time. */
const idleMsMax = 300_000;

export function keepDrivers(destination: Destination, parts: DriverParts): Drivers {
  const kept = new LRUCache<string, CountedDriver>({
    max: driversMax,
    ttl: idleMsMax,
    // Measure idle time since the last use, by our clock, read each time.
    updateAgeOnGet: true,
    perf: { now: () => parts.clock.now().getTime() },
    ttlResolution: 0,
    // Runs on every removal: by age, by eviction, by a newer revision.
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
      // Unlike `values()`, the dump includes drivers that have expired but are still in use.
      await Promise.all(kept.dump().map(([, { value: driver }]) => driver.close()));
      kept.clear();
    },
  };
}

/** The settings of a destination that a driver is opened with. */
export interface DriverSettings {
  readonly namespaceId: string;
  /** The given fields. */
  readonly connection: Readonly<Record<string, unknown>>;
  readonly network: DestinationNetwork;
}

/** Opens a driver. @param trace is told of each step of its connections */
export function openWith(
  { definition, openDriver }: Destination,
  parts: DriverParts,
  { namespaceId, connection: given, network }: DriverSettings,
  trace?: DialTrace,
): Driver {
  const connection = withDefaults(definition.fields, given);
  const { credential } = definition;
  return openRedacted({ definition, openDriver }, connection, {
    network: {
      ...toNetworkPolicy(network, connection['tls_ca_cert'], parts.networkBounds),
      ...(trace && { trace }),
    },
    timeouts: parts.timeouts,
    clock: parts.clock,
    log: parts.log,
    app: async (name) => credential && loadApp(parts.store, credential, namespaceId, name),
    credentialFiles: parts.credentialFiles,
  });
}

async function openOne(destination: Destination, parts: DriverParts, id: string): Promise<Driver | undefined> {
  const names = ['namespace_id', 'type', 'name', 'connection', 'network'] as const;
  const found = parts.store.db.selectFrom('destinations').select(names).where('id', '=', id);
  const row = await asRows(pick(destinationColumns, ...names), found).executeTakeFirst();
  if (row === undefined) return undefined;
  const connection = givenOf(openConnection(parts.store, row, row.connection));
  return openWith(destination, parts, { namespaceId: row.namespace_id, connection, network: row.network });
}

/** Identifies a destination. */
export interface DestinationKey {
  readonly namespace_id: string;
  readonly type: string;
  readonly name: string;
}

export const connectionAad = ({ namespace_id, type, name }: DestinationKey): string =>
  `destinations/${sealedName(namespace_id, `${type}/${name}`)}`;

/** Unseals the stored connection details of a destination. */
export function openConnection(store: Store, key: DestinationKey, sealed: Buffer): Input<Fields> {
  const { type, name } = key;
  const details = parseJson(store.barrier.open(sealed, connectionAad(key)).toString());
  if (!isJsonObject(details)) throw new Error(`the connection details of ${type}/${name} are not an object`);
  return details;
}

export function toNetworkPolicy(
  network: DestinationNetwork,
  caCertificates: unknown,
  bounds: NetworkBounds,
): NetworkPolicy {
  return {
    bounds,
    disabled: network.disable_strict_networking,
    allowedIpv4: network.allowed_ipv4_addresses,
    allowedIpv6: network.allowed_ipv6_addresses,
    allowedPorts: network.allowed_ports,
    caCertificates: typeof caCertificates === 'string' && caCertificates !== '' ? caCertificates : undefined,
    caCertificatesOnly: false,
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
