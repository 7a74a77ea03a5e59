import { sql } from 'kysely';
import { documentOf } from '../../support/documents.ts';
import type { WorkspaceGround } from '../../support/ground.ts';
import { jobOf, poolOf } from '../agent-jobs/pool-of.ts';
import { policyText } from './opa-program.ts';

interface Wanted {
  readonly level?: 'advisory' | 'mandatory';
  readonly overridable?: boolean;
  readonly query?: string;
  /** Null: none is uploaded. */
  readonly text?: string | null;
}

const secret = 'marker-sensitive-value';

/** A plan in JSON with one resource, whose value is sensitive. */
export const planOf = (type: string) => ({
  resource_changes: [
    { type, address: `${type}.x`, change: { after: { value: secret }, after_sensitive: { value: true } } },
  ],
});

/** A workspace in a pool whose plans a policy set checks, and runs whose plan an agent has stored. */
export async function policedWorkspace(ground: WorkspaceGround, wanted: Wanted = {}) {
  const stage = await poolOf(ground);
  await stage.configuration();
  const { at, policy, set } = await policySetOf(ground, stage, wanted);
  const agent = await stage.register();
  /** A run whose plan has this resource, up to the end of its plan. */
  const plannedRun = async (type: string, attributes: object = {}): Promise<string> => {
    const { id } = (await stage.run(attributes)).item;
    const job = jobOf(ground, await stage.take(agent));
    await job.bytes('plan-file', 'p');
    await job.bytes('plan-json', JSON.stringify(planOf(type)));
    await job.finish({ status: 'finished', 'has-changes': true });
    return id;
  };
  const stageOf = async (run: string) => {
    const [one] = (await ground.call('GET', `/runs/${run}/task-stages`, undefined, stage.reader.token)).items;
    if (one === undefined) throw new Error('the run has no stage');
    return one;
  };
  const evaluationOf = async (run: string) => {
    const { id } = await stageOf(run);
    const [one] = (await ground.call('GET', `/task-stages/${id}/policy-evaluations`, undefined, stage.reader.token))
      .items;
    if (one === undefined) throw new Error('the stage has no evaluation');
    return one;
  };
  const outcomesOf = async (run: string) => {
    const { id } = await evaluationOf(run);
    return ground.call('GET', `/policy-evaluations/${id}/policy-set-outcomes`, undefined, stage.reader.token);
  };
  return { ...stage, at, policy, set, plannedRun, stageOf, evaluationOf, outcomesOf, secret };
}

interface Place {
  readonly organization: { readonly name: string };
  readonly workspace: { readonly id: string };
}

/** A policy set with one policy, which applies to a workspace. */
export async function policySetOf(ground: WorkspaceGround, { organization, workspace }: Place, wanted: Wanted = {}) {
  const at = `/organizations/${organization.name}`;
  const policy = await ground.call(
    'POST',
    `${at}/policies`,
    documentOf('policies', {
      name: 'no-bad',
      description: 'nothing bad',
      kind: 'opa',
      query: wanted.query ?? 'data.terraform.deny',
      'enforcement-level': wanted.level ?? 'mandatory',
    }),
  );
  if (wanted.text !== null) await stored(ground, policy.item.id, wanted.text ?? policyText.current('bad'));
  const set = await ground.call(
    'POST',
    `${at}/policy-sets`,
    documentOf(
      'policy-sets',
      { name: 'security', kind: 'opa', overridable: wanted.overridable ?? false },
      {
        policies: [{ type: 'policies', id: policy.item.id }],
        workspaces: [{ type: 'workspaces', id: workspace.id }],
      },
    ),
  );
  return { at, policy, set };
}

/** Stores the text of a policy as earlier releases did, which compiled it only when it was evaluated. */
async function stored({ service }: WorkspaceGround, id: string, text: string): Promise<void> {
  await sql`update ws_policies set source = ${text} where id = ${id}`.execute(service.store.db);
}

/** Uploads the text of a policy. */
export const upload = ({ service }: WorkspaceGround, id: string, text: string | Buffer): Promise<Response> =>
  fetch(`${service.address}/api/v2/policies/${id}/upload`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${service.rootToken}`, 'content-type': 'application/octet-stream' },
    body: new Uint8Array(Buffer.from(text)),
  });

/** Uploads the text of a policy, and returns the status of the answer. */
export const uploaded = async (ground: WorkspaceGround, id: string, text: string | Buffer): Promise<number> =>
  (await upload(ground, id, text)).status;
