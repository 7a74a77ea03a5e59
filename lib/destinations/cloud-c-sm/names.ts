import type { NameRule } from '../contract.ts';

const lengthMax = 255;

/** https://cloud.google.com/secret-manager/docs/reference/rest/v1/projects.secrets/create: `secretId` */
export const names: NameRule = {
  lengthMax,
  text: `1 to ${lengthMax} characters of A-Z a-z 0-9 _ -; any other character becomes -`,
  normalise: (name) => name.replace(/[^0-9A-Za-z_-]/gu, '-'),
  refuse,
  key: (name) => name,
};

function refuse(name: string): string | undefined {
  if (name === '') return 'the name is empty';
  if (name.length > lengthMax) return `the name has ${name.length} characters, at most ${lengthMax} are allowed`;
  return /^[0-9A-Za-z_-]+$/.test(name) ? undefined : 'the name has other characters than A-Z a-z 0-9 _ -';
}
