import { auth } from '#client/operations/auth.ts';
import { system } from '#client/operations/system.ts';
import { textsOf } from '#client/wire/json.ts';
import { CommandFailure } from '../../failure.ts';
import { rowsOf } from '../../output/result.ts';
import type { Verb } from '../../verb.ts';
import { identityOf } from './login.ts';

export const whoami: Verb = {
  name: 'whoami',
  summary: 'Show who the token belongs to, and what it may do',
  arguments: [['[paths...]', 'show what the token may do on these paths, such as secret/data/my-app']],
  examples: ['keyferry whoami', 'keyferry whoami secret/data/my-app sys/sync/config'],
  async run({ client, settings }, given) {
    if (settings.connection.token === undefined)
      throw new CommandFailure('token', 'there is no token', 'keyferry login');
    if (given.arguments.length === 0) return identityOf((await client.call(auth.lookupSelf, {})).data);
    const { data } = await client.call(system.capabilities, {}, { paths: given.arguments });
    const rows = given.arguments.map((path) => ({ path, capabilities: textsOf(data, path) }));
    return rowsOf({ path: 'path', capabilities: 'capabilities' }, rows);
  },
};
