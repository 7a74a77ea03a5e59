import { notFound } from '../../../path/jsonapi/error.ts';
import type { Resource } from '../../../path/jsonapi/resource.ts';
import type { ApiCall } from '../../../path/jsonapi/row.ts';
import { levelsOf, type Standing } from '../../access/standing.ts';
import { type FoundWorkspace, type GrantedRow, grantedIn } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { factsOf } from './facts.ts';
import { includesOf, readIncludes } from './include/includes.ts';
import type { Include } from './include/including.ts';
import { viewOf } from './view.ts';

type Parts = Pick<WorkspaceParts, 'store' | 'clock'>;
type Asking = Pick<ApiCall, 'query' | 'origin'>;

export interface WorkspaceDocuments {
  readonly data: readonly Resource[];
  /** Undefined: nothing was asked for. */
  readonly included?: readonly Resource[];
}

/**
 * The document of one workspace, the same in every answer. It is what a change answers, so nothing can be wrong with the request
 * any more: what that asks to be included is for lists and `show`.
 *
 * @throws ApiError 404 when the workspace has gone meanwhile
 */
export const workspaceDocument = async (parts: Parts, found: FoundWorkspace, _call?: ApiCall): Promise<Resource> =>
  (await oneDocument(parts, found, nothingMore)).data;

/** The same with what the request asks to be included. @throws ApiError 400 for an unknown name in `include`, 404 */
export const workspaceWithIncludes = (parts: Parts, found: FoundWorkspace, call: Asking) =>
  oneDocument(parts, found, moreOf(call));

/** What is to be included, and how a client knows this service. */
interface More {
  readonly asked: readonly Include[];
  readonly origin: string;
}

const nothingMore: More = { asked: [], origin: '' };
const moreOf = ({ query, origin }: Asking): More => ({ asked: includesOf(query), origin });

async function oneDocument(parts: Parts, found: FoundWorkspace, asked: More) {
  const { data, ...included } = await documents(parts, [found], asked);
  const [one] = data;
  if (one === undefined) throw notFound();
  return { data: one, ...included };
}

/** Documents of many workspaces of one organization, in a number of statements that does not depend on how many there are. */
export const workspaceDocuments = (
  parts: Parts,
  found: readonly FoundWorkspace[],
  call: Asking,
): Promise<WorkspaceDocuments> => documents(parts, found, moreOf(call));

async function documents(
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
    // Gone since it was read.
    return known === undefined ? [] : [viewOf(one, known, relationships.get(one.workspace.id))];
  });
  return { data, ...(asked.length === 0 ? {} : { included: resources }) };
}

/** Rows that a statement answered with `grantColumns` beside, with what the caller may do. */
export const foundIn = (standing: Standing, rows: readonly GrantedRow[]): readonly FoundWorkspace[] =>
  rows.map((workspace) => ({ workspace, standing, levels: levelsOf(standing, grantedIn(workspace)) }));
