import { z } from 'zod';
import { badField } from '#core/errors.ts';
import { atMost, bool, type Input, pathText, text, textList, textMap } from '#path/fields.ts';
import { destinationsMax, pairsMax } from '../../rules/rule.ts';
import { templateLengthMax } from '../../template/parse.ts';
import { belowMount } from '../associations/many.ts';

const pathCharactersMax = 2_048;
const globCharactersMax = 512;

export const ruleName = { rule: pathText('Name of the rule') };

/** The fields of a rule. A write replaces them all. */
export const ruleFields = {
  ...ruleName,
  mount: text().meta({ description: 'Path of the mount whose secrets it selects' }),
  prefix: text(pathCharactersMax).default('').meta({
    description: 'Only secrets whose path below the mount starts with this; "/" for all secrets of the mount',
  }),
  glob: text(globCharactersMax).default('').meta({
    description:
      'Only secrets whose path below the mount matches: `*` and `?` stand for characters within a segment, `**` for any',
  }),
  custom_metadata: textMap()
    .default({})
    .meta({ description: `Only secrets whose custom_metadata has these pairs, at most ${pairsMax}` }),
  destinations: textList()
    .pipe(z.array(z.string()).max(destinationsMax, atMost(destinationsMax, 'entries')))
    .meta({ description: `Where it sends them: type/name of up to ${destinationsMax} destinations` }),
  granularity: text()
    .pipe(z.enum(['', 'secret-path', 'secret-key'], { error: 'granularity must be "secret-path" or "secret-key"' }))
    .default('')
    .meta({ description: 'Instead of the granularity of each destination' }),
  secret_name_template: text(templateLengthMax)
    .default('')
    .meta({ description: 'Instead of the name template of each destination' }),
  adopt: bool().default(false).meta({ description: 'Take over objects of the same name that the sync did not write' }),
  dry_run: bool().optional().meta({ description: 'Only show what would be set and unset' }),
};

export type GivenRule = Input<typeof ruleFields>;

/** What a rule selects. */
export interface Selection {
  readonly prefix: string;
  readonly glob: string | null;
  readonly custom_metadata: Readonly<Record<string, string>>;
}

/** @throws AppError `bad-request` when nothing narrows the selection and it does not say that it is for the whole mount */
export function selectionOf({ prefix, glob, custom_metadata }: GivenRule): Selection {
  const pairs = Object.keys(custom_metadata).length;
  if (prefix === '' && glob === '' && pairs === 0)
    throw badField('prefix', 'prefix, glob and custom_metadata are all empty: send prefix "/" to select all secrets');
  if (pairs > pairsMax) throw badField('custom_metadata', `custom_metadata can have at most ${pairsMax} pairs`);
  return { prefix: belowMount(prefix), glob: glob === '' ? null : belowMount(glob), custom_metadata };
}
