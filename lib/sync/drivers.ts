import type { Clock } from '../core/clock.ts';
import { isJsonObject, parseJson } from '../core/json.ts';
import type { Log } from '../core/log.ts';
import { Secret } from '../core/secret.ts';
import type { AppCredentials, DestinationDefinition, Driver, OpenDriver } from '../destinations/contract.ts';
import type { NetworkPolicy } from '../destinations/network/policy.ts';
import type { Fields, Input } from '../path/fields.ts';
import type { Store } from '../store/store.ts';
import type { DestinationNetwork } from '../store/tables.ts';
import { LentDriver } from './lent-driver.ts';

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
}

/** Open drivers of one type, kept by destination until its settings change. The one used longest ago makes room. */
export interface Drivers {
  /** Whoever gets one closes it when done with it: it stays open until then. Undefined: the destination is no more. */
  open(destinationId: string, revision: number): Promise<Driver | undefined>;
  close(): Promise<void>;
}

const driversMax = 256;

export function keepDrivers(destination: Destination, parts: DriverParts): Drivers {
  const kept = new Map<string, LentDriver>();
  return {
    async open(destinationId, revision) {
      const known = kept.get(destinationId);
      kept.delete(destinationId);
      if (known !== undefined && known.revision >= revision) {
        kept.set(destinationId, known);
        return known.lend();
      }
      known?.retire();
      const driver = new LentDriver(openOne(destination, parts, destinationId), revision);
      kept.set(destinationId, driver);
      makeRoom(kept);
      try {
        return await driver.lend();
      } catch (cause) {
        if (kept.get(destinationId) === driver) kept.delete(destinationId);
        throw cause;
      }
    },
    async close() {
      await Promise.all([...kept.values()].map((driver) => driver.close()));
      kept.clear();
    },
  };
}

function makeRoom(kept: Map<string, LentDriver>): void {
  const [oldest] = kept;
  if (kept.size <= driversMax || oldest === undefined) return;
  const [destinationId, driver] = oldest;
  kept.delete(destinationId);
  driver.retire();
}

async function openOne(destination: Destination, parts: DriverParts, id: string): Promise<Driver | undefined> {
  const row = await parts.store.db
    .selectFrom('destinations')
    .select(['type', 'name', 'connection', 'network'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const connection = openConnection(parts.store, row.type, row.name, row.connection);
  return destination.openDriver(connection, {
    network: toNetworkPolicy(row.network, connection['tls_ca_cert']),
    timeouts: parts.timeouts,
    clock: parts.clock,
    log: parts.log,
    app: (name) => loadApp(parts.store, name),
  });
}

/** The connection details of a destination, unsealed. */
export function openConnection(store: Store, type: string, name: string, sealed: Buffer): Input<Fields> {
  const details = parseJson(store.barrier.open(sealed, `destinations/${type}/${name}`).toString());
  if (!isJsonObject(details)) throw new Error(`the connection details of ${type}/${name} are not an object`);
  return details;
}

function toNetworkPolicy(network: DestinationNetwork, caCertificates: unknown): NetworkPolicy {
  return {
    disabled: network.disable_strict_networking,
    allowedIpv4: network.allowed_ipv4_addresses,
    allowedIpv6: network.allowed_ipv6_addresses,
    allowedPorts: network.allowed_ports,
    caCertificates: typeof caCertificates === 'string' && caCertificates !== '' ? caCertificates : undefined,
  };
}

async function loadApp(store: Store, name: string): Promise<AppCredentials | undefined> {
  const row = await store.db.selectFrom('repo_host_apps').selectAll().where('name', '=', name).executeTakeFirst();
  if (row === undefined) return undefined;
  const privateKey = store.barrier.open(row.private_key, `repo_host_apps/${name}`).toString();
  return { appId: Number(row.app_id), privateKey: new Secret(privateKey) };
}
