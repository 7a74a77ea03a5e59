import { badField } from '#core/errors.ts';
import type { NameRule, TagRule } from '../contract.ts';
import { nameProblem } from '../frame/rules/fit.ts';

const lengthMax = 512;
const pattern = /^[A-Za-z0-9/_+=.@-]+$/;
const other = 'the name has characters other than A-Z a-z 0-9 / _ + = . @ -';

/**
 * https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_CreateSecret.html. A name that ends in a hyphen and
 * six characters looks like the end of an ARN. It is allowed: only readers who search by partial ARN could be confused.
 */
export const names: NameRule = {
  lengthMax,
  pattern,
  text: `1 to ${lengthMax} characters of A-Z a-z 0-9 / _ + = . @ -; any other character becomes -`,
  normalise: (name) => name.replace(/[^A-Za-z0-9/_+=.@-]/gu, '-'),
  refuse: (name) => nameProblem(name, lengthMax, pattern, other),
  key: (name) => name,
};

/** Marks a secret as ours: `managed`, or `removed` once we have released it. */
export const ownerTag = 'keyferry';
const ownerManaged = 'managed';
export const ownerRemoved = 'removed';
export const markTag = 'keyferry-mark';

const countMax = 50;
const keyLengthMax = 128;
const valueLengthMax = 256;
/** https://docs.aws.amazon.com/secretsmanager/latest/userguide/managing-secrets_tagging.html */
const otherCharacters = /[^\p{L}\p{Z}\p{N}_.:/=+\-@]/gu;

const builtIn = (mark: string) => ({ [ownerTag]: ownerManaged, [markTag]: mark });

/** Characters that tags cannot have become `_`. */
export const tags: TagRule = { countMax, keyLengthMax, valueLengthMax, normalise, builtIn };

function normalise(custom: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const tagsLeft = countMax - Object.keys(builtIn('')).length;
  const given = Object.entries(custom);
  if (given.length > tagsLeft)
    throw badField('custom_tags', `custom_tags has ${given.length} tags: at most ${tagsLeft} are allowed`);
  const result: Record<string, string> = {};
  for (const [givenKey, givenValue] of given) {
    const key = givenKey.replace(otherCharacters, '_');
    const problem = keyProblem(key) ?? (key in result ? 'another key is the same after replacement' : undefined);
    if (problem !== undefined)
      throw badField('custom_tags', `invalid key ${JSON.stringify(givenKey)} in custom_tags: ${problem}`);
    result[key] = normaliseValue(key, givenValue);
  }
  return result;
}

function keyProblem(key: string): string | undefined {
  if (key.trim() === '') return 'it is empty';
  if (key.length > keyLengthMax) return `at most ${keyLengthMax} characters are allowed`;
  if (/^aws:/i.test(key)) return 'keys that start with aws: are reserved for the provider';
  return key === ownerTag || key === markTag ? 'it is one of the built-in tags' : undefined;
}

function normaliseValue(key: string, given: string): string {
  const value = given.replace(otherCharacters, '_');
  if (value.length <= valueLengthMax) return value;
  throw badField(
    'custom_tags',
    `the value of ${JSON.stringify(key)} in custom_tags is too long: at most ${valueLengthMax} characters`,
  );
}
