import type { TableNotes } from '../note.ts';

export const variables: TableNotes = {
  ws_variable_set_projects: {},
  ws_variable_set_workspaces: {},
  ws_variable_sets: {},
  ws_variables: { columns: { value: 'Sealed.' } },
};
