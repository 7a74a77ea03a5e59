import type { Operation } from '../operation.ts';

/** Requests of the workspace service. */
export const workspaces = {
  organizations: { service: 'v2', method: 'GET', path: 'organizations', fields: ['page[number]', 'page[size]'] },
  list: {
    service: 'v2',
    method: 'GET',
    path: 'organizations/{organization_name}/workspaces',
    fields: ['page[number]', 'page[size]'],
  },
  read: { service: 'v2', method: 'GET', path: 'organizations/{organization_name}/workspaces/{name}' },
  lock: { service: 'v2', method: 'POST', path: 'workspaces/{workspace_id}/actions/lock', fields: ['reason'] },
  unlock: { service: 'v2', method: 'POST', path: 'workspaces/{workspace_id}/actions/unlock' },
  forceUnlock: { service: 'v2', method: 'POST', path: 'workspaces/{workspace_id}/actions/force-unlock' },
  currentState: { service: 'v2', method: 'GET', path: 'workspaces/{workspace_id}/current-state-version' },
} as const satisfies Record<string, Operation>;
