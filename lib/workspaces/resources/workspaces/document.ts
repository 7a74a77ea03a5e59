import { notFound } from '#path/jsonapi/error.ts';
import type { Resource } from '#path/jsonapi/resource.ts';
import { levelsOf, type Standing } from '../../access/standing.ts';
import { type FoundWorkspace, type GrantedRow, grantedIn } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { factsOf } from '../workspace-includes/facts.ts';
import { readIncludes } from '../workspace-includes/includes.ts';
import type { Include } from '../workspace-includes/including.ts';
import { viewOf } from './view.ts';

type Parts = Pick<WorkspaceParts, 'store' | 'clock' | 'publicUrl'>;

export interface WorkspaceDocuments {
  readonly data: readonly Resource[];
  /** Absent unless the request asks to include resources. */
  readonly included?: readonly Resource[];
}

/**
 * The document of one workspace, as in replies to changes. Only lists and `show` include related resources.
 *
 * @throws ApiError 404 when the workspace was deleted meanwhile
 */
export const workspaceDocument = async (parts: Parts, found: FoundWorkspace): Promise<Resource> =>
  (await oneDocument(parts, found, noIncludes)).data;

/** The document with the resources that the request includes. @throws ApiError 404 */
export const workspaceWithIncludes = (parts: Parts, found: FoundWorkspace, more: More) =>
  oneDocument(parts, found, more);

/** Resources to include, and the address at which the client knows this service. */
export interface More {
  readonly asked: readonly Include[];
  readonly origin: string;
}

const noIncludes: More = { asked: [], origin: '' };

async function oneDocument(parts: Parts, found: FoundWorkspace, asked: More) {
  const { data, ...included } = await workspaceDocuments(parts, [found], asked);
  const [one] = data;
  if (one === undefined) throw notFound();
  return { data: one, ...included };
}

/** Documents of many workspaces of one organization. The number of statements does not depend on the number of workspaces. */
export async function workspaceDocuments(
  parts: Parts,
  found: readonly FoundWorkspace[],
  { asked, origin }: More,
): Promise<WorkspaceDocuments> {
  const facts = await factsOf(
    parts.store,
    found.map(({ workspace }) => workspace.id),
  );
  const { resources, relationships } = await readIncludes(asked, { parts, origin, found, facts });
  const data = found.flatMap((one) => {
    const known = facts.get(one.workspace.id);
    // Deleted since it was read.
    return known === undefined
      ? []
      : [viewOf(one, known, { publicUrl: parts.publicUrl, more: relationships.get(one.workspace.id) })];
  });
  return { data, ...(asked.length === 0 ? {} : { included: resources }) };
}

/** Rows that a statement returned with `grantColumns`, with the caller's rights. */
export const foundIn = (standing: Standing, rows: readonly GrantedRow[]): readonly FoundWorkspace[] =>
  rows.map((workspace) => ({ workspace, standing, levels: levelsOf(standing, grantedIn(workspace)) }));
