import { type Resource, toOne } from '../../../path/jsonapi/resource.ts';
import { type Levels, runLevels } from '../../access/levels.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { grantText } from '../../states/blobs/grant.ts';
import type { ConfigurationVersionRow } from './store.ts';

/** What an address of a file grants. */
export const putConfiguration = 'put-configuration';

export interface Reader {
  readonly origin: string;
  readonly levels: Pick<Levels, 'runs'>;
}

/** The document of a configuration version. Until its file has come it has the address for it. */
export function configurationVersionOf(
  parts: Pick<WorkspaceParts, 'store' | 'clock'>,
  row: ConfigurationVersionRow,
  { origin, levels }: Reader,
): Resource {
  const waits = row.status === 'pending' && levels.runs >= runLevels.plan;
  const path = `/api/v2/configuration-versions/${row.id}`;
  return {
    id: row.id,
    type: 'configuration-versions',
    attributes: {
      ...{ 'auto-queue-runs': row.auto_queue_runs, 'changed-files': [], error: null, 'error-message': null },
      ...{ provisional: row.provisional, source: row.source, speculative: row.speculative, status: row.status },
      'status-timestamps': row.timestamps,
      'upload-url': waits
        ? `${origin}/api/v2/configuration-files/${grantText(parts, { verb: putConfiguration, id: row.id })}`
        : null,
    },
    relationships: {
      'ingress-attributes': { data: null, links: { related: `${path}/ingress-attributes` } },
      workspace: toOne('workspaces', row.workspace_id),
    },
    links: { self: path, ...(row.status === 'uploaded' ? { download: `${path}/download` } : {}) },
  };
}
