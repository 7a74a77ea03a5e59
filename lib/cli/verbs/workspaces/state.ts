import { states } from '#client/operations/workspaces.ts';
import { CallFailure } from '#client/wire/failure.ts';
import { textOf } from '#client/wire/json.ts';
import { CommandFailure } from '../../failure.ts';
import { text } from '../../output/result.ts';
import type { Verb } from '../../verb.ts';
import { readWorkspace, workspaceArgument } from './place.ts';

export const statePull: Verb = {
  name: 'workspaces state pull',
  summary: 'Write the current state of a workspace to standard output',
  isOutsideNamespaces: true,
  arguments: [workspaceArgument],
  examples: ['keyferry workspaces state pull acme/network > network.tfstate'],
  async run({ client }, given) {
    const workspace_id = textOf(await readWorkspace(client, given), 'id');
    const none = (why: string) =>
      new CommandFailure('failed', `${given.argument(0)} ${why}`, `keyferry workspaces show ${given.argument(0)}`);
    const { data } = await client.call(states.current, { workspace_id }).catch((error: unknown) => {
      throw error instanceof CallFailure && error.status === 404 ? none('has no state that you may read') : error;
    });
    const address = textOf(data, 'attributes', 'hosted-state-download-url');
    if (address === '') throw none('has a state that is not uploaded yet');
    return text(await client.download(address));
  },
};
