import type { NameRule } from '../contract.ts';
import { nameProblem } from '../frame/rules/fit.ts';

/** The host documents no maximum length; this limit is ours and long enough for any template. */
const lengthMax = 255;
const pattern = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Names of environment variables, which are valid for input variables of the engine too. */
export const names: NameRule = {
  lengthMax,
  pattern,
  text: `1 to ${lengthMax} characters of A-Z a-z 0-9 _, not starting with a digit; other characters become _, and _ is added before a leading digit`,
  normalise: (name) => name.replaceAll(/[^A-Za-z0-9_]/gu, '_').replace(/^(?=\d)/, '_'),
  refuse: (name) =>
    nameProblem(name, lengthMax, pattern, 'the name has characters other than A-Z a-z 0-9 _, or starts with a digit'),
  key: (name) => name,
};
