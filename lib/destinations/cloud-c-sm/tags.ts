// Beyond the usual files: the system has tags; these are its rules for them.
import { badRequest } from '../../core/errors.ts';
import type { TagRule } from '../contract.ts';

/** On every secret that we wrote, whichever association it belongs to. */
export const managedLabel = 'keyferry';
/** Says which association wrote it. */
export const markLabel = 'keyferry-mark';

const countMax = 64;
const charactersMax = 63;
const bytesMax = 128;

/** Labels: https://cloud.google.com/secret-manager/docs/reference/rest/v1/projects.secrets, `labels` */
export const tags: TagRule = {
  countMax,
  normalise(custom) {
    const labels = Object.entries(custom).map(([key, value]) => [toLabel(key), toLabel(value)] as const);
    const problems = labels.flatMap(([key, value]) => problemsOf(key, value));
    const keys = new Set(labels.map(([key]) => key));
    const builtInCount = Object.keys(builtIn('')).length;
    if (keys.size < labels.length) problems.push('custom_tags has tags that become the same label');
    if (keys.size > countMax - builtInCount) {
      problems.push(
        `custom_tags has too many tags: at most ${countMax - builtInCount} beside the ${builtInCount} of ours`,
      );
    }
    if (problems.length > 0) throw badRequest(problems.join('; '));
    return Object.fromEntries(labels);
  },
  builtIn,
};

function builtIn(mark: string): Readonly<Record<string, string>> {
  return { [managedLabel]: 'managed', [markLabel]: mark };
}

/** Lower case; what else is not allowed becomes `_`. */
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
