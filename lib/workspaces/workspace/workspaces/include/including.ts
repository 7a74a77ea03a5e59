import type { Relationship, Resource } from '../../../../path/jsonapi/resource.ts';
import type { FoundWorkspace } from '../../../access/workspace.ts';
import type { WorkspaceParts } from '../../../contract.ts';
import type { Facts } from '../facts.ts';

/** The workspaces of a document, all of one organization, and what is known of them. */
export interface Including {
  readonly parts: Pick<WorkspaceParts, 'store' | 'clock'>;
  /** Scheme and authority of the addresses of files. */
  readonly origin: string;
  readonly found: readonly FoundWorkspace[];
  readonly facts: ReadonlyMap<string, Facts>;
}

export interface Included {
  readonly resources: readonly Resource[];
  /** What it adds to the relationships of a workspace, by the workspace's id. */
  readonly relationships?: ReadonlyMap<string, Readonly<Record<string, Relationship>>>;
}

/** Reads what is related to all of the workspaces, in one statement. */
export type Include = (including: Including) => Promise<Included>;

/** Of one kind on one page; more are left to the lists of their own. */
export const includedMax = 5_000;

/** Each id once, without those that are none. */
export const idsOf = (ids: readonly (string | null)[]): readonly string[] => [
  ...new Set(ids.filter((id) => id !== null)),
];
