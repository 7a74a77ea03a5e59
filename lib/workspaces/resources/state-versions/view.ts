import { type Relationship, type Resource, timeText, toMany, toOne } from '#path/jsonapi/resource.ts';
import type { ApiCaller } from '#path/jsonapi/row.ts';
import { type Bearer, bearerOf } from '../../access/bearer.ts';
import { stateLevels } from '../../access/levels.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { grantText } from '../state-blobs/grant.ts';
import type { StateVersionRow } from './store.ts';

type Parts = Pick<WorkspaceParts, 'store' | 'clock'>;

/** The reader of a document. */
export interface Reader {
  /** Scheme and authority for the addresses in the document. */
  readonly origin: string;
  /** The level of the caller for the states of the workspace. */
  readonly level: number;
  readonly caller: ApiCaller;
}

/** The verbs that file addresses grant. */
export const verbs = {
  putState: 'put-state',
  putJson: 'put-json-state',
  getState: 'get-state',
  getJson: 'get-json-state',
} as const;

/** The document of a state version. */
export function stateVersionOf(parts: Parts, row: StateVersionRow, reader: Reader): Resource {
  return {
    id: row.id,
    type: 'state-versions',
    attributes: {
      'created-at': timeText(row.created_at),
      size: row.size,
      serial: row.serial,
      status: row.status,
      lineage: row.lineage,
      md5: row.md5,
      intermediate: row.intermediate,
      ...addresses(parts, row, reader),
      'engine-version': row.engine_version,
      'terraform-version': row.engine_version,
      'state-version': row.state_format,
      'resources-processed': row.resources_processed,
      resources: row.resources,
      modules: row.modules,
      providers: row.providers,
      'vcs-commit-sha': null,
      'vcs-commit-url': null,
    },
    relationships: {
      'created-by': creatorOf(row),
      workspace: toOne('workspaces', row.workspace_id),
      run: toOne('runs', row.run_id),
      outputs: {
        ...toMany('state-version-outputs', row.output_ids),
        links: { related: `/api/v2/state-versions/${row.id}/outputs` },
      },
    },
    links: { self: `/api/v2/state-versions/${row.id}` },
  };
}

/** Only users, since clients do not support other creators. */
export const creatorOf = (row: { created_by_kind: string | null; created_by: string | null }): Relationship =>
  row.created_by_kind === 'user' && row.created_by !== null
    ? { ...toOne('users', row.created_by), links: { related: `/api/v2/users/${row.created_by}` } }
    : { data: null };

/** Only the creator of a version gets upload addresses. */
function addresses(parts: Parts, row: StateVersionRow, { origin, level, caller }: Reader) {
  const address = (shown: boolean, verb: string, bearer?: Bearer): string | null =>
    shown ? `${origin}/api/v2/state-files/${grantText(parts, { verb, id: row.id, bearer })}` : null;
  const isMaker =
    caller.kind === 'run'
      ? row.run_id === caller.id
      : row.created_by_kind === caller.kind && row.created_by === caller.id;
  const reads = level >= stateLevels.read && row.status === 'finalized';
  const writes = isMaker && level >= stateLevels.write && row.status === 'pending';
  return {
    'hosted-state-download-url': address(reads && row.state_blob_id !== null, verbs.getState),
    'hosted-json-state-download-url': address(reads && row.json_blob_id !== null, verbs.getJson),
    'hosted-state-upload-url': address(writes && row.state_blob_id === null, verbs.putState, bearerOf(caller)),
    'hosted-json-state-upload-url': address(writes && row.json_blob_id === null, verbs.putJson, bearerOf(caller)),
  };
}
