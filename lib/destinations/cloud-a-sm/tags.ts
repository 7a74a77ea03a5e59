// Beyond the usual files: the system has tags; these are its rules for them.
import { badRequest } from '../../core/errors.ts';
import type { TagRule } from '../contract.ts';

/** Says that a secret is ours: `managed`, or `removed` once we have given it up. */
export const ownerTag = 'keyferry';
export const ownerManaged = 'managed';
export const ownerRemoved = 'removed';
export const markTag = 'keyferry-mark';

const countMax = 50;
const keyLengthMax = 128;
const valueLengthMax = 256;
/** https://docs.aws.amazon.com/secretsmanager/latest/userguide/managing-secrets_tagging.html */
const otherCharacters = /[^\p{L}\p{Z}\p{N}_.:/=+\-@]/gu;

const builtIn = (mark: string) => ({ [ownerTag]: ownerManaged, [markTag]: mark });

/** Characters that tags cannot have become `_`. */
export const tags: TagRule = { countMax, normalise, builtIn };

function normalise(custom: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const tagsLeft = countMax - Object.keys(builtIn('')).length;
  const given = Object.entries(custom);
  if (given.length > tagsLeft)
    throw badRequest(`custom_tags holds ${given.length} tags: at most ${tagsLeft} have room`);
  const result: Record<string, string> = {};
  for (const [givenKey, givenValue] of given) {
    const key = givenKey.replace(otherCharacters, '_');
    const problem = keyProblem(key) ?? (key in result ? 'another key becomes the same' : undefined);
    if (problem !== undefined) throw badRequest(`invalid key ${JSON.stringify(givenKey)} in custom_tags: ${problem}`);
    result[key] = normaliseValue(key, givenValue);
  }
  return result;
}

function keyProblem(key: string): string | undefined {
  if (key.trim() === '') return 'it is empty';
  if (key.length > keyLengthMax) return `at most ${keyLengthMax} characters are allowed`;
  if (/^aws:/i.test(key)) return 'keys that start with aws: belong to the provider';
  return key === ownerTag || key === markTag ? 'it is one of the built-in tags' : undefined;
}

function normaliseValue(key: string, given: string): string {
  const value = given.replace(otherCharacters, '_');
  if (value.length <= valueLengthMax) return value;
  throw badRequest(
    `the value of ${JSON.stringify(key)} in custom_tags is too long: at most ${valueLengthMax} characters`,
  );
}
