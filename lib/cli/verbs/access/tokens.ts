import { auth } from '#client/operations/auth.ts';
import { CallFailure } from '#client/wire/failure.ts';
import { memberOf, textOf, textsOf } from '#client/wire/json.ts';
import { CommandFailure } from '../../failure.ts';
import { one, rowsOf } from '../../output/result.ts';
import type { Described, Verb } from '../../verb.ts';
import { identityOf } from '../session/login.ts';

const accessorArgument: Described = ['<accessor>', 'accessor of the token'];

/** The reply about an accessor of no token is no error, as in the API family. */
const unknownAccessor = 'No token found with this accessor';

const create: Verb = {
  name: 'tokens create',
  summary: 'Create a token, and show it once',
  options: [
    ['--policies <names>', 'policies, separated by commas; default: yours'],
    ['--ttl <time>', 'lifetime, such as 1h'],
    ['--period <time>', 'each renewal prolongs it by this time'],
    ['--uses <count>', 'number of requests it is good for'],
    ['--display-name <name>', 'name in audit lines'],
    ['--orphan', 'do not revoke it together with yours'],
  ],
  examples: ['keyferry tokens create --policies default --ttl 1h'],
  async run({ client }, given) {
    const fields = {
      policies: given.text('policies')?.split(','),
      ttl: given.text('ttl'),
      period: given.text('period'),
      display_name: given.text('displayName'),
      num_uses: given.count('uses', 0, { min: 0, max: 1_000_000_000 }),
      no_parent: given.flag('orphan'),
    };
    const { whole } = await client.call(auth.createToken, {}, fields);
    const issued = memberOf(whole, 'auth');
    return one({
      token: textOf(issued, 'client_token'),
      accessor: textOf(issued, 'accessor'),
      policies: textsOf(issued, 'policies'),
      lease_duration: memberOf(issued, 'lease_duration'),
      renewable: memberOf(issued, 'renewable'),
    });
  },
};

const list: Verb = {
  name: 'tokens list',
  summary: 'List the accessors of all tokens',
  examples: ['keyferry tokens list'],
  async run({ client }) {
    const accessors = textsOf((await client.call(auth.listAccessors, {})).data, 'keys');
    return rowsOf(
      { accessor: 'accessor' },
      accessors.map((accessor) => ({ accessor })),
    );
  },
};

const lookup: Verb = {
  name: 'tokens lookup',
  summary: 'Show what a token is, by its accessor',
  arguments: [accessorArgument],
  examples: ['keyferry tokens lookup "$ACCESSOR"'],
  async run({ client }, given) {
    return identityOf((await client.call(auth.lookupAccessor, {}, { accessor: given.argument(0) })).data);
  },
};

const revoke: Verb = {
  name: 'tokens revoke',
  summary: 'Revoke a token and those it created, by its accessor',
  arguments: [accessorArgument],
  options: [['-y, --yes', 'do not ask']],
  examples: ['keyferry tokens revoke "$ACCESSOR" --yes'],
  async run({ client, questions }, given) {
    const accessor = given.argument(0);
    await questions.agree(`Revoke the token ${accessor} and those it created?`, given.flag('yes'), given.verb);
    const { warnings } = await client.call(auth.revokeAccessor, {}, { accessor });
    if (warnings.includes(unknownAccessor))
      throw new CommandFailure('failed', 'nothing was revoked', 'keyferry tokens list');
    return one({ revoked: accessor });
  },
};

const renew: Verb = {
  name: 'tokens renew',
  summary: 'Renew your own token',
  options: [['--increment <time>', 'lifetime to ask for, such as 1h']],
  examples: ['keyferry tokens renew --increment 1h'],
  async run({ client, settings }, given) {
    if (settings.connection.token === undefined)
      throw new CommandFailure('token', 'there is no token', 'keyferry login');
    const { whole } = await client
      .call(auth.renewSelf, {}, { increment: given.text('increment') })
      .catch((error: unknown) => {
        if (error instanceof CallFailure && error.errors.includes('invalid lease ID'))
          throw new CommandFailure('failed', 'this token never ends, so it cannot be renewed', 'keyferry whoami');
        throw error;
      });
    const renewed = memberOf(whole, 'auth');
    return one({ accessor: textOf(renewed, 'accessor'), lease_duration: memberOf(renewed, 'lease_duration') });
  },
};

export const tokens: readonly Verb[] = [create, list, lookup, revoke, renew];
