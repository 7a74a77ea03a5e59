// Beyond the usual files: the system has tags; these are its rules for them.
import { badRequest } from '../../core/errors.ts';
import type { TagRule } from '../contract.ts';

/** On every secret that we wrote, whichever association it belongs to. */
export const managedTag = 'keyferry';
/** What it says once we have given the secret up; see `release` in soft-delete.ts. */
export const managedRemoved = 'removed';
/** Says which association wrote it. */
export const markTag = 'keyferry-mark';

const countMax = 15;
// The provider's pages give 512 here and 256 there; the smaller always holds.
const charactersMax = 256;

/** https://learn.microsoft.com/azure/key-vault/secrets/about-secrets#secret-tags: any characters, 15 tags. */
export const tags: TagRule = {
  countMax,
  normalise(custom) {
    const problems = Object.entries(custom).flatMap(([key, value]) => problemsOf(key, value));
    const builtInCount = Object.keys(builtIn('')).length;
    if (Object.keys(custom).length > countMax - builtInCount) {
      problems.push(
        `custom_tags has too many tags: at most ${countMax - builtInCount} beside the ${builtInCount} of ours`,
      );
    }
    if (problems.length > 0) throw badRequest(problems.join('; '));
    return { ...custom };
  },
  builtIn,
};

function builtIn(mark: string): Readonly<Record<string, string>> {
  return { [managedTag]: 'managed', [markTag]: mark };
}

function problemsOf(key: string, value: string): readonly string[] {
  const shown = key.slice(0, 64);
  if (key === '') return ['custom_tags has a tag without a name'];
  if ([managedTag, markTag].includes(key.toLowerCase()))
    return [`custom_tags: the tag ${shown} belongs to this service`];
  const long = [key, value].some((text) => text.length > charactersMax);
  return long ? [`custom_tags: name and value of the tag ${shown} have at most ${charactersMax} characters each`] : [];
}
