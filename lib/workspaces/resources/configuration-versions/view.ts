import { type Resource, toOne } from '#path/jsonapi/resource.ts';
import type { RequestContext } from '#path/jsonapi/row.ts';
import { bearerOf } from '../../access/bearer.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { grantText } from '../state-blobs/grant.ts';
import type { ConfigurationVersionRow } from './store.ts';

/** The verb that an upload address grants. */
export const putConfiguration = 'put-configuration';

/** The upload address of a configuration version. It is a secret and is shown once. */
export const uploadAddress = (
  parts: Pick<WorkspaceParts, 'store' | 'clock'>,
  { origin, caller }: Pick<RequestContext, 'origin' | 'caller'>,
  id: string,
): string =>
  `${origin}/api/v2/configuration-files/${grantText(parts, { verb: putConfiguration, id, bearer: bearerOf(caller) })}`;

/** The document of a configuration version. Only the creator gets the upload address. */
export function configurationVersionOf(row: ConfigurationVersionRow, uploadUrl: string | null = null): Resource {
  const path = `/api/v2/configuration-versions/${row.id}`;
  return {
    id: row.id,
    type: 'configuration-versions',
    attributes: {
      'auto-queue-runs': row.auto_queue_runs,
      'changed-files': [],
      error: null,
      'error-message': null,
      provisional: row.provisional,
      source: row.source,
      speculative: row.speculative,
      status: row.status,
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
