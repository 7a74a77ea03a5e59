import { workspaces as operations } from '#client/operations/workspaces.ts';
import { memberOf, textOf, type Value } from '#client/wire/json.ts';
import type { Context } from '../../context.ts';
import { one, type Result, rowsOf } from '../../output/result.ts';
import type { Verb } from '../../verb.ts';
import { everyPage } from './pages.ts';
import { readWorkspace, workspaceArgument } from './place.ts';

const list: Verb = {
  name: 'workspaces list',
  summary: 'List the workspaces of an organization, or of all that you may see',
  isOutsideNamespaces: true,
  arguments: [['[organization]', 'name of the organization']],
  examples: ['keyferry workspaces list acme', 'keyferry workspaces list -o wide'],
  async run({ client }, given) {
    const [organization] = given.arguments;
    const names = organization === undefined ? await organizationNames(client) : [organization];
    const rows = [];
    for (const organization_name of names) {
      const pages = everyPage((page) => client.call(operations.list, { organization_name }, page));
      for await (const workspace of pages) rows.push(rowOf(organization_name, workspace));
    }
    const columns = { organization: 'organization', name: 'name', locked: 'locked', resources: 'resources' };
    return rowsOf(columns, rows, { execution_mode: 'execution mode', updated_at: 'updated', id: 'id' });
  },
};

async function organizationNames(client: Context['client']): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const organization of everyPage((page) => client.call(operations.organizations, {}, page)))
    names.push(textOf(organization, 'attributes', 'name'));
  return names;
}

const rowOf = (organization: string, workspace: Value) => {
  const attributes = memberOf(workspace, 'attributes');
  return {
    organization,
    name: textOf(attributes, 'name'),
    locked: memberOf(attributes, 'locked') ?? null,
    resources: memberOf(attributes, 'resource-count') ?? null,
    execution_mode: textOf(attributes, 'execution-mode'),
    updated_at: textOf(attributes, 'updated-at'),
    id: textOf(workspace, 'id'),
  };
};

const show: Verb = {
  name: 'workspaces show',
  summary: 'Show a workspace',
  isOutsideNamespaces: true,
  arguments: [workspaceArgument],
  examples: ['keyferry workspaces show acme/network'],
  run: async ({ client }, given) => shown(await readWorkspace(client, given)),
};

const lock: Verb = {
  name: 'workspaces lock',
  summary: 'Lock a workspace, so that its state and runs stay as they are',
  isOutsideNamespaces: true,
  arguments: [workspaceArgument],
  options: [['--reason <text>', 'why, for others to see']],
  examples: ['keyferry workspaces lock acme/network --reason "migration"'],
  async run({ client }, given) {
    const workspace_id = textOf(await readWorkspace(client, given), 'id');
    return shown((await client.call(operations.lock, { workspace_id }, { reason: given.text('reason') })).data);
  },
};

const unlock: Verb = {
  name: 'workspaces unlock',
  summary: 'Unlock a workspace',
  isOutsideNamespaces: true,
  arguments: [workspaceArgument],
  options: [
    ['--force', 'even if another caller holds the lock'],
    ['-y, --yes', 'do not ask'],
  ],
  examples: ['keyferry workspaces unlock acme/network'],
  async run({ client, questions }, given) {
    const workspace_id = textOf(await readWorkspace(client, given), 'id');
    if (!given.flag('force')) return shown((await client.call(operations.unlock, { workspace_id })).data);
    await questions.agree(`Take the lock of ${given.argument(0)} away?`, given.flag('yes'), given.verb);
    return shown((await client.call(operations.forceUnlock, { workspace_id })).data);
  },
};

/** The attributes of a workspace with its id. The long lists of permissions and actions are left out. */
function shown(workspace: Value | undefined): Result {
  const { permissions, actions, ...attributes } = (memberOf(workspace, 'attributes') ?? {}) as Record<string, Value>;
  return one({ id: textOf(workspace, 'id'), ...attributes });
}

export const workspaceVerbs: readonly Verb[] = [list, show, lock, unlock];
