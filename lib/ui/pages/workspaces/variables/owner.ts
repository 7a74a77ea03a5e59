import { variables } from '#client/operations/workspaces.ts';
import type { PageReply } from '#client/page.ts';
import type { Value } from '#client/wire/json.ts';
import { api } from '#ui/state/api.ts';
import type { Asking } from '#ui/state/use-query.ts';

type Options = Parameters<Asking['ask']>[0];

/** Who has variables: a workspace, or a set. */
export interface Owner {
  readonly key: readonly string[];
  list(options: Options): Promise<PageReply>;
  create(data: Value): Promise<PageReply>;
  update(id: string, data: Value): Promise<PageReply>;
  remove(id: string): Promise<PageReply>;
}

export const ofWorkspace = (workspace_id: string): Owner => ({
  key: ['variables', workspace_id],
  list: (options) => api.call(variables.list, { workspace_id }, undefined, options),
  create: (data) => api.call(variables.create, { workspace_id }, { data }),
  update: (variable_id, data) => api.call(variables.update, { workspace_id, variable_id }, { data }),
  remove: (variable_id) => api.call(variables.delete, { workspace_id, variable_id }),
});

export const ofSet = (varset_id: string): Owner => ({
  key: ['variables', varset_id],
  list: (options) => api.call(variables.listOfSet, { varset_id }, undefined, options),
  create: (data) => api.call(variables.createInSet, { varset_id }, { data }),
  update: (variable_id, data) => api.call(variables.updateInSet, { varset_id, variable_id }, { data }),
  remove: (variable_id) => api.call(variables.deleteInSet, { varset_id, variable_id }),
});
