import { badField } from '#core/errors.ts';
import type { NameRule, TagRule } from '../contract.ts';
import { nameProblem } from '../frame/rules/fit.ts';

const lengthMax = 255;
const pattern = /^[0-9A-Za-z_-]+$/;
const other = 'the name has characters other than A-Z a-z 0-9 _ -';

/** https://cloud.google.com/secret-manager/docs/reference/rest/v1/projects.secrets/create: `secretId` */
export const names: NameRule = {
  lengthMax,
  pattern,
  text: `1 to ${lengthMax} characters of A-Z a-z 0-9 _ -; any other character becomes -`,
  normalise: (name) => name.replace(/[^0-9A-Za-z_-]/gu, '-'),
  refuse: (name) => nameProblem(name, lengthMax, pattern, other),
  key: (name) => name,
};

/** Present on every secret that we wrote, for any association. */
const managedLabel = 'keyferry';
/** Identifies the association that wrote the secret. */
export const markLabel = 'keyferry-mark';

const countMax = 64;
const charactersMax = 63;
const bytesMax = 128;

/** Labels: https://cloud.google.com/secret-manager/docs/reference/rest/v1/projects.secrets, `labels` */
export const tags: TagRule = {
  countMax,
  keyLengthMax: charactersMax,
  valueLengthMax: charactersMax,
  normalise(custom) {
    const labels = Object.entries(custom).map(([key, value]) => [toLabel(key), toLabel(value)] as const);
    const problems = labels.flatMap(([key, value]) => problemsOf(key, value));
    const keys = new Set(labels.map(([key]) => key));
    const builtInCount = Object.keys(builtIn('')).length;
    if (keys.size < labels.length) problems.push('custom_tags has tags that map to the same label');
    if (keys.size > countMax - builtInCount) {
      problems.push(
        `custom_tags has too many tags: at most ${countMax - builtInCount} beside our ${builtInCount} built-in tags`,
      );
    }
    if (problems.length > 0) throw badField('custom_tags', problems.join('; '));
    return Object.fromEntries(labels);
  },
  builtIn,
};

function builtIn(mark: string): Readonly<Record<string, string>> {
  return { [managedLabel]: 'managed', [markLabel]: mark };
}

/** Converts to lower case and replaces other invalid characters by `_`. */
const toLabel = (text: string): string => text.toLowerCase().replace(/[^\p{Ll}\p{Lo}\p{N}_-]/gu, '_');

function problemsOf(key: string, value: string): readonly string[] {
  if ([managedLabel, markLabel].includes(key)) return [`custom_tags: the label ${key} belongs to this service`];
  const shown = JSON.stringify(key.slice(0, charactersMax));
  if (!/^[\p{Ll}\p{Lo}]/u.test(key)) return [`custom_tags: the label ${shown} does not start with a letter`];
  const long = [key, value].some((text) => [...text].length > charactersMax || Buffer.byteLength(text) > bytesMax);
  return long
    ? [
        `custom_tags: key and value of the label ${shown} have at most ${charactersMax} characters (${bytesMax} bytes) each`,
      ]
    : [];
}
