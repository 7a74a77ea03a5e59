import { badField } from '#core/errors.ts';
import type { NameRule, TagRule } from '../contract.ts';
import { nameProblem } from '../frame/rules/fit.ts';

const lengthMax = 127;
const pattern = /^[0-9A-Za-z-]+$/;
const other = 'the name has characters other than A-Z a-z 0-9 -';

/** https://learn.microsoft.com/azure/key-vault/general/about-keys-secrets-certificates#object-identifiers */
export const names: NameRule = {
  lengthMax,
  pattern,
  text: `1 to ${lengthMax} characters of A-Z a-z 0-9 -, ignoring case; any other character becomes -`,
  normalise: (name) => name.replace(/[^0-9A-Za-z-]/gu, '-'),
  refuse: (name) => nameProblem(name, lengthMax, pattern, other),
  key: (name) => name.toLowerCase(),
};

/** Present on every secret that we wrote, for any association. */
export const managedTag = 'keyferry';
/** Its value once we have released the secret; see `release` in soft-delete.ts. */
export const managedRemoved = 'removed';
/** Identifies the association that wrote the secret. */
export const markTag = 'keyferry-mark';

const countMax = 15;
// The provider's pages disagree between 512 and 256; the smaller limit is always valid.
const charactersMax = 256;

/** https://learn.microsoft.com/azure/key-vault/secrets/about-secrets#secret-tags: any characters, 15 tags. */
export const tags: TagRule = {
  countMax,
  keyLengthMax: charactersMax,
  valueLengthMax: charactersMax,
  normalise(custom) {
    const problems = Object.entries(custom).flatMap(([key, value]) => problemsOf(key, value));
    const builtInCount = Object.keys(builtIn('')).length;
    if (Object.keys(custom).length > countMax - builtInCount) {
      problems.push(
        `custom_tags has too many tags: at most ${countMax - builtInCount} beside our ${builtInCount} built-in tags`,
      );
    }
    if (problems.length > 0) throw badField('custom_tags', problems.join('; '));
    return { ...custom };
  },
  builtIn,
};

function builtIn(mark: string): Readonly<Record<string, string>> {
  return { [managedTag]: 'managed', [markTag]: mark };
}

function problemsOf(key: string, value: string): readonly string[] {
  const shown = key.slice(0, 64);
  if (key === '') return ['custom_tags has a tag with an empty name'];
  if ([managedTag, markTag].includes(key.toLowerCase()))
    return [`custom_tags: the tag ${shown} belongs to this service`];
  const long = [key, value].some((text) => text.length > charactersMax);
  return long ? [`custom_tags: name and value of the tag ${shown} have at most ${charactersMax} characters each`] : [];
}
