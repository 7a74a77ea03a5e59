import { type Resource, toOne } from '../../../path/jsonapi/resource.ts';
import type { ApiCall } from '../../../path/jsonapi/row.ts';
import { bearerOf } from '../../access/bearer.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { grantText } from '../../states/blobs/grant.ts';
import type { ConfigurationVersionRow } from './store.ts';

/** What an address of a file grants. */
export const putConfiguration = 'put-configuration';

/** Where the archive of a configuration version goes: a secret, which is told once. */
export const uploadAddress = (
  parts: Pick<WorkspaceParts, 'store' | 'clock'>,
  { origin, caller }: Pick<ApiCall, 'origin' | 'caller'>,
  id: string,
): string =>
  `${origin}/api/v2/configuration-files/${grantText(parts, { verb: putConfiguration, id, bearer: bearerOf(caller) })}`;

/** The document of a configuration version. Whoever makes it is told where its archive goes. */
export function configurationVersionOf(row: ConfigurationVersionRow, uploadUrl: string | null = null): Resource {
  const path = `/api/v2/configuration-versions/${row.id}`;
  return {
    id: row.id,
    type: 'configuration-versions',
    attributes: {
      ...{ 'auto-queue-runs': row.auto_queue_runs, 'changed-files': [], error: null, 'error-message': null },
      ...{ provisional: row.provisional, source: row.source, speculative: row.speculative, status: row.status },
      'status-timestamps': row.timestamps,
      'upload-url': uploadUrl,
    },
    relationships: {
      'ingress-attributes': { data: null, links: { related: `${path}/ingress-attributes` } },
      workspace: toOne('workspaces', row.workspace_id),
    },
    links: { self: path, ...(row.status === 'uploaded' ? { download: `${path}/download` } : {}) },
  };
}
