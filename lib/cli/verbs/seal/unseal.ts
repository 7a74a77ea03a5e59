import { system } from '#client/operations/system.ts';
import { memberOf, textOf, type Value } from '#client/wire/json.ts';
import { Secret } from '#core/secret.ts';
import { one } from '../../output/result.ts';
import type { Verb } from '../../verb.ts';

/** The largest threshold. */
const sharesMax = 255;

export const unseal: Verb = {
  name: 'unseal',
  summary: 'Give the server the key shares that unseal it',
  options: [
    ['--reset', 'discard the shares that were given before'],
    ['--one', 'give one share, and leave the others to their holders'],
  ],
  examples: ['keyferry unseal < shares.txt'],
  async run(context, given) {
    const client = context.clientWith(undefined);
    if (given.flag('reset')) await client.call(system.unseal, {}, { reset: true });
    let seal: Value | undefined = (await client.call(system.sealStatus, {})).data;
    for (let share = 1; memberOf(seal, 'sealed') === true && share <= sharesMax; share += 1) {
      const [done, needed] = [Number(textOf(seal, 'progress')), textOf(seal, 't')];
      const key = new Secret((await context.questions.askHidden(`Key share ${done + 1} of ${needed}: `)).trim());
      context.conceal(key);
      seal = (await client.call(system.unseal, {}, { key: key.reveal() })).data;
      if (given.flag('one')) break;
    }
    const isSealed = memberOf(seal, 'sealed') === true;
    const shown = { sealed: isSealed, shares: `${textOf(seal, 'progress')} of ${textOf(seal, 't')}` };
    return one(isSealed ? shown : { sealed: false, version: textOf(seal, 'version') });
  },
};
