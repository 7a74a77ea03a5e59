import type { Secret } from '../core/secret.ts';
import type { ApiCaller, ApiRow } from '../path/jsonapi/row.ts';
import type { ClientConnection } from '../path/row.ts';
import type { WorkspaceParts } from './contract.ts';
import { serviceRows } from './service/rows.ts';
import { findCaller } from './tokens/find.ts';
import { variableSetRows } from './variable-sets/rows.ts';
import { setVariableRows } from './variable-sets/variables.ts';
import { variableRows } from './variables/rows.ts';

/** The workspace service: its rows, and who calls them. */
export interface Workspaces {
  readonly rows: readonly ApiRow[];
  authenticate(token: Secret, from: ClientConnection): Promise<ApiCaller | undefined>;
}

export const openWorkspaces = (parts: WorkspaceParts): Workspaces => ({
  rows: [...serviceRows, ...setVariableRows(parts), ...variableRows(parts), ...variableSetRows(parts)],
  authenticate: (token, from) => findCaller(parts, token, from),
});
