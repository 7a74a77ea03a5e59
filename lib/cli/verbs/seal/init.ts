import { writeFile } from 'node:fs/promises';
import { system } from '#client/operations/system.ts';
import { memberOf, printJson, textOf } from '#client/wire/json.ts';
import { CommandFailure } from '../../failure.ts';
import { one } from '../../output/result.ts';
import type { Verb } from '../../verb.ts';

const sharesMax = 255;

export const init: Verb = {
  name: 'init',
  summary: 'Initialise a new installation',
  options: [
    ['--shares <count>', 'number of key shares; default: 5'],
    ['--threshold <count>', 'number of shares that unseal; default: 3'],
    ['--out <file>', 'write the shares and the root token to this new file, which only you may read'],
  ],
  examples: ['keyferry init --shares 3 --threshold 2 --out keys.json'],
  async run(context, given) {
    const shares = given.count('shares', 5, { min: 1, max: sharesMax });
    const threshold = given.count('threshold', Math.min(3, shares), { min: 1, max: shares });
    const out = given.text('out');
    const client = context.clientWith(undefined);
    const seal = (await client.call(system.sealStatus, {})).data;
    if (memberOf(seal, 'initialized') === true)
      throw new CommandFailure('failed', 'the server is already initialised', 'keyferry status');
    // Before anything is created that could then not be stored.
    if (out !== undefined) await writeFile(out, '', { mode: 0o600, flag: 'wx' }).catch(refuseFile(out));
    const fields =
      textOf(seal, 'type') === 'shamir'
        ? { secret_shares: shares, secret_threshold: threshold }
        : { recovery_shares: shares, recovery_threshold: threshold };
    const { data } = await client.call(system.initialise, {}, fields);
    context.say('this is the only time that the shares and the root token are shown: keep them apart from each other');
    if (out === undefined) return one(data ?? null);
    await writeFile(out, `${printJson(data ?? null, 2)}\n`);
    context.say(`they are in ${out}; next: keyferry unseal`);
    return undefined;
  },
};

const refuseFile =
  (file: string) =>
  ({ code = 'unwritable' }: NodeJS.ErrnoException): never => {
    const why = code === 'EEXIST' ? 'exists already' : `cannot be written: ${code}`;
    throw new CommandFailure('failed', `${file} ${why}; nothing was initialised`, 'keyferry init --help');
  };
