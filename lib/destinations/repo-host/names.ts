import type { NameRule } from '../contract.ts';
import { nameProblem } from '../frame/rules/fit.ts';

/** The host documents no longest name; this one is ours, long enough for any template. */
const lengthMax = 255;

/** https://docs.github.com/en/actions/reference/security/secrets: stored in upper case, whatever case is sent. */
export const names: NameRule = {
  lengthMax,
  text: `1 to ${lengthMax} characters of A-Z 0-9 _, not starting with a digit or GITHUB_; letters become upper case, any other character becomes _, and a leading digit gets _ in front`,
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
    return 'names that start with GITHUB_ belong to the host: change secret_name_template';
  const rule = 'the name has other characters than A-Z 0-9 _, or starts with a digit';
  return nameProblem(name, lengthMax, /^[A-Z_][A-Z0-9_]*$/, rule);
}
