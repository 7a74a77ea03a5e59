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
      'changed-files': row.changed_files ?? [],
      error: row.status === 'errored' ? 'repository' : null,
      'error-message': row.error_message,
      provisional: row.provisional,
      source: row.source,
      speculative: row.speculative,
      status: row.status,
      'status-timestamps': row.timestamps,
      'upload-url': uploadUrl,
    },
    relationships: {
      'ingress-attributes': {
        ...toOne('ingress-attributes', row.ingress_id),
        links: { related: `${path}/ingress-attributes` },
      },
      workspace: toOne('workspaces', row.workspace_id),
    },
    links: { self: path, ...(row.status === 'uploaded' ? { download: `${path}/download` } : {}) },
  };
}

/** The documents of configuration versions and of their commits. */
export const includedConfigurations = (rows: readonly ConfigurationVersionRow[]): readonly Resource[] =>
  rows.flatMap((row) => {
    const ingress = ingressOf(row);
    return [configurationVersionOf(row), ...(ingress === undefined ? [] : [ingress])];
  });

/** The document of the commit that a configuration version was made from. */
export function ingressOf(row: ConfigurationVersionRow): Resource | undefined {
  if (row.ingress_id === null) return undefined;
  return {
    id: row.ingress_id,
    type: 'ingress-attributes',
    attributes: { ...unknownFacts, ...row.ingress, 'commit-sha': row.commit_sha },
    links: { self: `/api/v2/configuration-versions/${row.id}/ingress-attributes` },
  };
}

const unknownFacts = {
  branch: null,
  'clone-url': null,
  'commit-author': null,
  'commit-message': null,
  'commit-url': null,
  'compare-url': null,
  identifier: null,
  'is-pull-request': false,
  'on-default-branch': null,
  'pull-request-number': null,
  'pull-request-title': null,
  'pull-request-url': null,
  'sender-avatar-url': null,
  'sender-html-url': null,
  'sender-username': null,
  tag: null,
};
