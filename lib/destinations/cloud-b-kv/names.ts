import type { NameRule } from '../contract.ts';

const lengthMax = 127;

/** https://learn.microsoft.com/azure/key-vault/general/about-keys-secrets-certificates#object-identifiers */
export const names: NameRule = {
  lengthMax,
  text: `1 to ${lengthMax} characters of A-Z a-z 0-9 -, upper and lower case being the same; any other character becomes -`,
  normalise: (name) => name.replace(/[^0-9A-Za-z-]/gu, '-'),
  refuse,
  key: (name) => name.toLowerCase(),
};

function refuse(name: string): string | undefined {
  if (name === '') return 'the name is empty';
  if (name.length > lengthMax) return `the name has ${name.length} characters, at most ${lengthMax} are allowed`;
  return /^[0-9A-Za-z-]+$/.test(name) ? undefined : 'the name has other characters than A-Z a-z 0-9 -';
}
