import type { NameRule } from '../contract.ts';
import { nameProblem } from '../frame/rules/fit.ts';

const lengthMax = 127;
const other = 'the name has other characters than A-Z a-z 0-9 -';

/** https://learn.microsoft.com/azure/key-vault/general/about-keys-secrets-certificates#object-identifiers */
export const names: NameRule = {
  lengthMax,
  text: `1 to ${lengthMax} characters of A-Z a-z 0-9 -, upper and lower case being the same; any other character becomes -`,
  normalise: (name) => name.replace(/[^0-9A-Za-z-]/gu, '-'),
  refuse: (name) => nameProblem(name, lengthMax, /^[0-9A-Za-z-]+$/, other),
  key: (name) => name.toLowerCase(),
};
