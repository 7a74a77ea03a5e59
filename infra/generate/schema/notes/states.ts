import type { TableNotes } from '../note.ts';

export const states: TableNotes = {
  ws_blob_chunks: { columns: { data: 'Sealed.' } },
  ws_blobs: { columns: { whole: 'All of its chunks are stored.' } },
  ws_state_outputs: { columns: { value: 'Sealed.' } },
  ws_state_versions: { columns: { position: 'The order in which state versions were made.' } },
};
