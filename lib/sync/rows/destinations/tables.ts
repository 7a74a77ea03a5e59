import type { Generated, GeneratedAlways } from 'kysely';
import type { Json, Timestamp } from '../../../store/tables.ts';

declare module '../../../store/tables.ts' {
  interface Database {
    destinations: DestinationsTable;
  }
}

export interface DestinationsTable {
  id: GeneratedAlways<string>;
  namespace_id: Generated<string>;
  type: string;
  /** Unique in the namespace and type. */
  name: string;
  /** Sealed JSON object of the type's fields. Additional data: `destinations/[<namespace_id>/]<type>/<name>`, without the id for the root. */
  connection: Buffer;
  granularity: string;
  /** Null: the type's default. */
  template: string | null;
  custom_tags: Json<Record<string, string>>;
  network: Json<DestinationNetwork>;
  /** Take over objects of the same name that we did not write. */
  adopt: boolean;
  /** Grows with each change, so that a worker knows when its open driver is out of date. */
  revision: Generated<number>;
  created_at: Generated<Timestamp>;
  updated_at: Timestamp;
  purge_initiated_at: Timestamp | null;
  purge_error: string | null;
}

export interface DestinationNetwork {
  readonly disable_strict_networking: boolean;
  readonly allowed_ipv4_addresses: readonly string[];
  readonly allowed_ipv6_addresses: readonly string[];
  readonly allowed_ports: readonly number[];
}
