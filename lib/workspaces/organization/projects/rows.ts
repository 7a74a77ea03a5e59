import type { ApiRow } from '../../../path/jsonapi/row.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { createProject } from './create.ts';
import { listProjects } from './list.ts';
import { moveWorkspaces } from './move.ts';
import { showProject } from './read.ts';
import { removeProject } from './remove.ts';
import { updateProject } from './update.ts';

const all = '/api/v2/organizations/:organization_name/projects';
const one = '/api/v2/projects/:project_id';

/** Projects (reference, workspaces 2). */
export const projectRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  { method: 'GET', path: all, summary: 'The projects of an organization', run: (call) => listProjects(parts, call) },
  { method: 'POST', path: all, summary: 'Make a project', run: (call) => createProject(parts, call) },
  {
    method: 'GET',
    path: one,
    summary: 'A project',
    run: (call) => showProject(parts.store, call),
  },
  { method: 'PATCH', path: one, summary: 'Change a project', run: (call) => updateProject(parts, call) },
  {
    method: 'DELETE',
    path: one,
    summary: 'Remove a project that has no workspaces',
    run: (call) => removeProject(parts, call),
  },
  {
    method: 'POST',
    path: `${one}/relationships/workspaces`,
    summary: 'Move workspaces into a project',
    run: (call) => moveWorkspaces(parts, call),
  },
];
