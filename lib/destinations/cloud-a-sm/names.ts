import type { NameRule } from '../contract.ts';
import { nameProblem } from '../frame/rules/fit.ts';

const lengthMax = 512;
const other = 'the name has other characters than A-Z a-z 0-9 / _ + = . @ -';

/**
 * https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_CreateSecret.html. A name that ends in a hyphen and
 * six characters looks like the end of an ARN; that matters to readers who search by partial ARN only, and is allowed.
 */
export const names: NameRule = {
  lengthMax,
  text: `1 to ${lengthMax} characters of A-Z a-z 0-9 / _ + = . @ -; any other character becomes -`,
  normalise: (name) => name.replace(/[^A-Za-z0-9/_+=.@-]/gu, '-'),
  refuse: (name) => nameProblem(name, lengthMax, /^[A-Za-z0-9/_+=.@-]+$/, other),
  key: (name) => name,
};
