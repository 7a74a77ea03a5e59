import type { Levels } from '../../access/levels.ts';

/** What a team was granted on a workspace or a project, as the store has it. */
export interface GrantRow extends Omit<Levels, 'moves' | 'removes'> {
  readonly id: string;
  readonly team_id: string;
  readonly workspace_id: string | null;
  readonly project_id: string | null;
  /** The name of the set; `custom` has levels of its own. */
  readonly access: string;
  readonly creates: boolean;
  readonly moves: boolean;
  readonly project_admin: boolean;
  readonly settings: GrantSettings;
}

/** What of a grant has no column. The first two and `delete` count for the rights of the team (`access`). */
export interface GrantSettings {
  readonly 'project-settings'?: 'read' | 'update' | 'delete';
  readonly 'project-teams'?: 'none' | 'read' | 'manage';
  readonly 'variable-sets'?: 'none' | 'read' | 'write';
  readonly 'sentinel-mocks'?: 'none' | 'read';
  readonly 'policy-overrides'?: boolean;
  readonly delete?: boolean;
}

/** Columns of a grant that its levels fill. */
export type GrantLevels = Omit<GrantRow, 'id' | 'team_id' | 'workspace_id' | 'project_id'>;

/** The name of a level by its number. */
export const nameOfLevel = (levels: Readonly<Record<string, number>>, level: number): string =>
  Object.entries(levels).find(([, number]) => number === level)?.[0] ?? 'none';
