import { parseJson } from '#core/json/json.ts';
import type { Resource } from '#path/jsonapi/resource.ts';
import { bytea, jsonObject, nullable, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { RunCaller } from '../../access/job.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { type RunRow, readRun } from '../run-lifecycle/store.ts';
import { variablesName } from '../run-lifecycle/view.ts';
import { sshKeyName } from '../ssh-keys/store.ts';
import { grantText } from '../state-blobs/grant.ts';
import { verbs } from '../state-versions/view.ts';
import { effectiveVariables } from '../variables/effective.ts';
import { valueName } from '../variables/view.ts';
import type { Workload } from '../workload-identity/claims.ts';
import { identityTokens } from '../workload-identity/tokens.ts';
import { settingsOf } from '../workspace-settings/settings.ts';
import { leaseSeconds } from './take.ts';

type Parts = Pick<WorkspaceParts, 'store' | 'clock' | 'publicUrl' | 'workloadTokens'>;

/** Everything that an agent needs for a job, values of sensitive variables included: only the token of the run reads it. */
export async function materialOf(parts: Parts, job: RunCaller, origin: string): Promise<Resource> {
  const { store } = parts;
  const run = await readRun(store.db, job.id);
  const place = await placeOf(parts, job);
  const { settings } = run;
  const { 'working-directory': folder, 'structured-run-output-enabled': structured } = settingsOf(place.settings);
  const state = place.state_id;
  const variables = await variablesOf(parts, job, place);
  const workload = workloadOf(job, place);
  return {
    id: jobIdOf(job),
    type: 'agent-jobs',
    attributes: {
      ...leaseOf(run),
      'run-id': run.id,
      'workspace-id': job.workspaceId,
      'workspace-name': place.workspace_name,
      'organization-name': place.organization_name,
      'project-name': place.project_name,
      part: job.part,
      'working-directory': folder,
      'structured-run-output-enabled': structured,
      'engine-version': settings['engine-version'] ?? place.engine_version,
      'is-destroy': settings['is-destroy'] ?? false,
      refresh: settings.refresh ?? true,
      'refresh-only': settings['refresh-only'] ?? false,
      'is-assessment': run.assessment,
      'allow-config-generation': settings['allow-config-generation'] ?? false,
      'target-addrs': settings['target-addrs'] ?? [],
      'replace-addrs': settings['replace-addrs'] ?? [],
      variables,
      'identity-tokens': await identityTokens(parts, variables, { workload, issuer: origin }),
      'run-variables': runVariablesOf(parts, run),
      'ssh-key': sshKeyOf(parts, place),
      'public-url': parts.publicUrl ?? null,
      'state-download-url':
        state === null
          ? null
          : `${origin}/api/v2/state-files/${grantText(parts, { verb: verbs.getState, id: state, bearer: undefined })}`,
    },
  };
}

export const jobIdOf = ({ id, part }: Pick<RunCaller, 'id' | 'part'>): string => id.replace(/^run-/, `${part}-`);

/** What an agent has to know while it works. */
export const leaseOf = ({ timestamps }: Pick<RunRow, 'timestamps'>) => ({
  'cancel-requested': timestamps['cancel-requested-at'] !== undefined,
  'lease-seconds': leaseSeconds,
});

type Place = Awaited<ReturnType<typeof placeOf>>;

const placeColumns = {
  workspace_name: text,
  organization_name: text,
  project_name: text,
  project_id: text,
  organization_id: text,
  engine_version: text,
  settings: jsonObject,
  state_id: nullable(text),
  ssh_key_id: nullable(text),
  ssh_key: nullable(bytea),
};

async function placeOf({ store }: Parts, { workspaceId }: RunCaller) {
  const { rows } = await rowsOf(placeColumns)`
    select w.name as workspace_name, o.name as organization_name, p.name as project_name, w.project_id, w.organization_id,
           w.engine_version, w.settings, s.id as state_id, k.id as ssh_key_id, k.value as ssh_key
      from ws_workspaces w join ws_projects p on p.id = w.project_id join ws_organizations o on o.id = w.organization_id
      left join ws_state_versions s on s.id = w.current_state_version_id and s.status = 'finalized'
      left join ws_ssh_keys k on k.id = w.ssh_key_id
     where w.id = ${workspaceId}`.execute(store.db);
  const [row] = rows;
  if (row === undefined) throw new Error('a job has no workspace');
  return row;
}

const workloadOf = (job: RunCaller, place: Place): Workload => ({
  organization: { id: place.organization_id, name: place.organization_name },
  project: { id: place.project_id, name: place.project_name },
  workspace: { id: job.workspaceId, name: place.workspace_name },
  runId: job.id,
  phase: job.part,
});

async function variablesOf({ store }: Parts, { workspaceId }: RunCaller, place: Place) {
  const rows = await effectiveVariables(store, {
    id: workspaceId,
    project_id: place.project_id,
    organization_id: place.organization_id,
  });
  return rows.map(({ id, key, category, hcl, sensitive, value }) => ({
    ...{ key, category, hcl, sensitive },
    value: store.barrier.open(value, valueName(id)).toString(),
  }));
}

const runVariablesOf = ({ store }: Parts, { id, variables }: RunRow): unknown =>
  variables === null ? [] : parseJson(store.barrier.open(variables, variablesName(id)).toString());

const sshKeyOf = ({ store }: Parts, { ssh_key_id: id, ssh_key: value }: Place): string | null =>
  id === null || value === null ? null : store.barrier.open(value, sshKeyName(id)).toString();
