import { badRequest, unprocessable } from '#path/jsonapi/error.ts';
import { type QueryField, readBy } from '#path/jsonapi/query.ts';

const [organizationFilter, workspaceFilter] = ['filter[organization][name]', 'filter[workspace][name]'] as const;

/** The organization and the workspace named in the query, which old clients use. */
export const workspaceFilters: QueryField<{ readonly organization: string; readonly name: string }> = readBy(
  [organizationFilter, workspaceFilter].map((name) => ({ name, required: true })),
  (query) => {
    const [organization, name] = [query.get(organizationFilter), query.get(workspaceFilter)];
    if (organization === null || name === null)
      throw badRequest(`${organizationFilter} and ${workspaceFilter} are required`);
    return { organization, name };
  },
);

/** The workspace in a document. @throws ApiError 422 without one */
export function workspaceIn({
  related,
}: {
  readonly related: { readonly workspace: { readonly id: string } | null | undefined };
}) {
  const { workspace } = related;
  if (workspace === undefined || workspace === null) throw unprocessable('a workspace is required');
  return { workspace_id: workspace.id };
}
