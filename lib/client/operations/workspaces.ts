import type { Operation } from '../operation.ts';

const page = ['page[number]', 'page[size]'] as const;
const ofOrganization = 'organizations/{organization_name}';
const one = 'workspaces/{workspace_id}';
const run = 'runs/{run_id}';
const set = 'varsets/{varset_id}';

/** Requests of the workspace service. A `data` is a whole JSON:API resource. */
export const workspaces = {
  organizations: { service: 'v2', method: 'GET', path: 'organizations', fields: [...page, 'q'] },
  organization: { service: 'v2', method: 'GET', path: ofOrganization },
  list: {
    service: 'v2',
    method: 'GET',
    path: `${ofOrganization}/workspaces`,
    fields: [
      ...page,
      'include',
      'search[name]',
      'search[tags]',
      'filter[tagged][0][key]',
      'filter[tagged][0][value]',
      'filter[project][id]',
      'filter[current-run][status]',
    ],
  },
  projects: { service: 'v2', method: 'GET', path: `${ofOrganization}/projects`, fields: page },
  teams: { service: 'v2', method: 'GET', path: `${ofOrganization}/teams`, fields: page },
  read: { service: 'v2', method: 'GET', path: `${ofOrganization}/workspaces/{name}`, fields: ['include'] },
  update: { service: 'v2', method: 'PATCH', path: one, fields: ['data'] },
  lock: { service: 'v2', method: 'POST', path: `${one}/actions/lock`, fields: ['reason'] },
  unlock: { service: 'v2', method: 'POST', path: `${one}/actions/unlock` },
  forceUnlock: { service: 'v2', method: 'POST', path: `${one}/actions/force-unlock` },
  assess: { service: 'v2', method: 'POST', path: `${one}/actions/assess` },
  currentAssessment: { service: 'v2', method: 'GET', path: `${one}/current-assessment-result` },
} as const satisfies Record<string, Operation>;

/** Runs of a workspace. */
export const runs = {
  list: { service: 'v2', method: 'GET', path: `${one}/runs`, fields: [...page, 'filter[status_group]'] },
  create: { service: 'v2', method: 'POST', path: 'runs', fields: ['data'] },
  read: { service: 'v2', method: 'GET', path: run, fields: ['include'] },
  comments: { service: 'v2', method: 'GET', path: `${run}/comments`, fields: page },
  apply: { service: 'v2', method: 'POST', path: `${run}/actions/apply`, fields: ['comment'] },
  discard: { service: 'v2', method: 'POST', path: `${run}/actions/discard`, fields: ['comment'] },
  cancel: { service: 'v2', method: 'POST', path: `${run}/actions/cancel`, fields: ['comment'] },
  forceCancel: { service: 'v2', method: 'POST', path: `${run}/actions/force-cancel`, fields: ['comment'] },
} as const satisfies Record<string, Operation>;

/** State versions of a workspace, without their files. */
export const states = {
  current: { service: 'v2', method: 'GET', path: `${one}/current-state-version` },
  list: { service: 'v2', method: 'GET', path: `${one}/state-versions`, fields: page },
  /** With `include=outputs`: the outputs, the sensitive ones without their values. */
  read: { service: 'v2', method: 'GET', path: 'state-versions/{state_version_id}', fields: ['include'] },
  readOutput: { service: 'v2', method: 'GET', path: 'state-version-outputs/{output_id}' },
} as const satisfies Record<string, Operation>;

/** Variables of a workspace and of the sets that apply to it. Values of sensitive ones are written, never read. */
export const variables = {
  list: { service: 'v2', method: 'GET', path: `${one}/vars`, fields: page },
  create: { service: 'v2', method: 'POST', path: `${one}/vars`, fields: ['data'] },
  update: { service: 'v2', method: 'PATCH', path: `${one}/vars/{variable_id}`, fields: ['data'] },
  delete: { service: 'v2', method: 'DELETE', path: `${one}/vars/{variable_id}` },
  sets: { service: 'v2', method: 'GET', path: `${one}/varsets`, fields: [...page, 'include'] },
  listOfSet: { service: 'v2', method: 'GET', path: `${set}/relationships/vars`, fields: page },
  createInSet: { service: 'v2', method: 'POST', path: `${set}/relationships/vars`, fields: ['data'] },
  updateInSet: { service: 'v2', method: 'PATCH', path: `${set}/relationships/vars/{variable_id}`, fields: ['data'] },
  deleteInSet: { service: 'v2', method: 'DELETE', path: `${set}/relationships/vars/{variable_id}` },
} as const satisfies Record<string, Operation>;

/** Rights of teams on a workspace. */
export const teamAccess = {
  list: { service: 'v2', method: 'GET', path: 'team-workspaces', fields: [...page, 'filter[workspace][id]'] },
  grant: { service: 'v2', method: 'POST', path: 'team-workspaces', fields: ['data'] },
  change: { service: 'v2', method: 'PATCH', path: 'team-workspaces/{grant_id}', fields: ['data'] },
  revoke: { service: 'v2', method: 'DELETE', path: 'team-workspaces/{grant_id}' },
} as const satisfies Record<string, Operation>;
