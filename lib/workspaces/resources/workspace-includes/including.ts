import type { Relationship, Resource } from '#path/jsonapi/resource.ts';
import type { FoundWorkspace } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import type { Facts } from './facts.ts';

/** The workspaces of a document, all in one organization, with their facts. */
export interface Including {
  readonly parts: Pick<WorkspaceParts, 'store' | 'clock'>;
  /** Scheme and authority for the addresses of files. */
  readonly origin: string;
  readonly found: readonly FoundWorkspace[];
  readonly facts: ReadonlyMap<string, Facts>;
}

export interface Included {
  readonly resources: readonly Resource[];
  /** Additional relationships by workspace id. */
  readonly relationships?: ReadonlyMap<string, Readonly<Record<string, Relationship>>>;
}

/** Reads the resources related to all of the workspaces in one statement. */
export type Include = (including: Including) => Promise<Included>;

/** Included resources of one kind on one page; clients read more from the separate lists. */
export const includedMax = 5_000;

/** The distinct ids that are not null. */
export const idsOf = (ids: readonly (string | null)[]): readonly string[] => [
  ...new Set(ids.filter((id) => id !== null)),
];
