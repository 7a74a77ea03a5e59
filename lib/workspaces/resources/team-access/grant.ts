import { z } from 'zod';
import type { RowOf } from '#store/sql/columns.ts';
import { jsonOf } from '#store/sql/kinds.ts';
import { wsGrantsTable } from '#store/tables/organizations.ts';

/** Attributes of a grant without a column. The first two and `delete` affect the rights of the team. */
export type GrantSettings = z.infer<typeof grantSettings>;

const grantSettings = z
  .strictObject({
    'project-settings': z.enum(['read', 'update', 'delete']).exactOptional(),
    'project-teams': z.enum(['none', 'read', 'manage']).exactOptional(),
    'variable-sets': z.enum(['none', 'read', 'write']).exactOptional(),
    'sentinel-mocks': z.enum(['none', 'read']).exactOptional(),
    'policy-overrides': z.boolean().exactOptional(),
    delete: z.boolean().exactOptional(),
  })
  .readonly();

/**
 * A grant of a team on a workspace or a project, as stored. `access` is the name of the permission set; `custom` has individual
 * levels.
 */
export type GrantRow = RowOf<typeof grantColumns>;

export const grantColumns = { ...wsGrantsTable, settings: jsonOf(grantSettings) };

/** The columns of a grant that hold its levels. */
export type GrantLevels = Omit<GrantRow, 'id' | 'team_id' | 'workspace_id' | 'project_id' | 'created_at'>;

/** The name of a level, given its number. */
export const nameOfLevel = (levels: Readonly<Record<string, number>>, level: number): string =>
  Object.entries(levels).find(([, number]) => number === level)?.[0] ?? 'none';
