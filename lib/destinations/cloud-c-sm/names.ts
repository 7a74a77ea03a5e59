import type { NameRule } from '../contract.ts';
import { nameProblem } from '../frame/rules/fit.ts';

const lengthMax = 255;
const other = 'the name has other characters than A-Z a-z 0-9 _ -';

/** https://cloud.google.com/secret-manager/docs/reference/rest/v1/projects.secrets/create: `secretId` */
export const names: NameRule = {
  lengthMax,
  text: `1 to ${lengthMax} characters of A-Z a-z 0-9 _ -; any other character becomes -`,
  normalise: (name) => name.replace(/[^0-9A-Za-z_-]/gu, '-'),
  refuse: (name) => nameProblem(name, lengthMax, /^[0-9A-Za-z_-]+$/, other),
  key: (name) => name,
};
