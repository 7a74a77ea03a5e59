import type { NameRule } from '../contract.ts';
import { nameProblem } from '../frame/rules/fit.ts';

/** The host documents no maximum length; this limit is ours and long enough for any template. */
const lengthMax = 255;
const pattern = /^(?!GITHUB_)[A-Z_][A-Z0-9_]*$/;

/** https://docs.github.com/en/actions/reference/security/secrets: stored in upper case, whatever case is sent. */
export const names: NameRule = {
  lengthMax,
  pattern,
  text: `1 to ${lengthMax} characters of A-Z 0-9 _, not starting with a digit or GITHUB_; letters become upper case, any other character becomes _, and _ is added before a leading digit`,
  normalise: (name) =>
    name
      .toUpperCase()
      .replace(/[^A-Z0-9_]/gu, '_')
      .replace(/^(?=\d)/, '_'),
  refuse,
  key: (name) => name.toUpperCase(),
};

function refuse(name: string): string | undefined {
  if (name.startsWith('GITHUB_'))
    return 'names that start with GITHUB_ are reserved for the host: change secret_name_template';
  const rule = 'the name has characters other than A-Z 0-9 _, or starts with a digit';
  return nameProblem(name, lengthMax, pattern, rule);
}
