import type { Store } from '#store/store.ts';
import { recentlyDirty } from '#sync/records/recently-dirty.ts';
import type { PendingSync } from '#workspaces/contract.ts';

/** The type whose copies are variables of workspaces. */
const type = 'workspace-vars';

/** Where the syncs write that plans wait for. Their ids are unique, so that those of another installation match nothing. */
export const pendingSyncsOf =
  (store: Store) =>
  async (withinMs: number): Promise<readonly PendingSync[]> =>
    (await recentlyDirty(store, type, withinMs)).map((connection) => {
      const given = (name: string) => {
        const value = connection[name];
        return typeof value === 'string' && value !== '' ? value : undefined;
      };
      const [organization, workspace] = [given('organization_name'), given('workspace_name')];
      return {
        workspaceId: given('workspace_id'),
        workspace: organization === undefined || workspace === undefined ? undefined : `${organization}/${workspace}`,
        variableSetId: given('variable_set_id'),
      };
    });
