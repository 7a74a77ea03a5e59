import type { Client } from '#client/client.ts';
import { workspaces } from '#client/operations/workspaces.ts';
import type { Value } from '#client/wire/json.ts';
import { usage } from '../../failure.ts';
import type { Described, Given } from '../../verb.ts';

export const workspaceArgument: Described = ['<workspace>', 'the workspace, with its organization: acme/network'];

/** The resource of the workspace that the first argument names. @throws CommandFailure, or CallFailure when there is none */
export async function readWorkspace(client: Client, given: Given): Promise<Value | undefined> {
  const [, organization_name, name] = /^([^/]+)\/([^/]+)$/.exec(given.argument(0)) ?? [];
  if (organization_name === undefined || name === undefined)
    throw usage(`"${given.argument(0)}" is not of the form <organization>/<workspace>`, given.verb);
  return (await client.call(workspaces.read, { organization_name, name })).data;
}
