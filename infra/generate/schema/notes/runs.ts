import type { TableNotes } from '../note.ts';

export const runs: TableNotes = {
  ws_configuration_versions: { columns: { position: 'The order in which configuration versions were made.' } },
  ws_run_comments: {},
  ws_run_events: {},
  ws_runs: { columns: { variables: 'Sealed.', position: 'The order in which runs were made.' } },
};
