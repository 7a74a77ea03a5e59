import type { NameRule } from '../contract.ts';
import { nameProblem } from '../frame/rules/fit.ts';

/** The host documents no longest name; this one is ours, long enough for any template. */
const lengthMax = 255;

/** Names of environment variables, which the engine takes for input variables too. */
export const names: NameRule = {
  lengthMax,
  text: `1 to ${lengthMax} characters of A-Z a-z 0-9 _, not starting with a digit; other characters become _, and a leading digit gets a _ before it`,
  normalise: (name) => name.replaceAll(/[^A-Za-z0-9_]/gu, '_').replace(/^(?=\d)/, '_'),
  refuse: (name) =>
    nameProblem(
      name,
      lengthMax,
      /^[A-Za-z_][A-Za-z0-9_]*$/,
      'a name takes A-Z a-z 0-9 _ and does not start with a digit',
    ),
  key: (name) => name,
};
