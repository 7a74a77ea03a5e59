import type { NameRule } from '#destinations/contract.ts';

const lengthMax = 128;
const pattern = /^[A-Za-z0-9_-]+$/;

export const names: NameRule = {
  lengthMax,
  pattern,
  text: '1 to 128 characters of A-Z a-z 0-9 _ -; other characters become -',
  normalise: (name) => name.replaceAll(/[^A-Za-z0-9_-]/gu, '-'),
  refuse,
  key: (name) => name,
};

function refuse(name: string): string | undefined {
  if (name === '') return 'the name is empty';
  if (name.length > lengthMax) return `the name has ${name.length} characters, at most ${lengthMax} are allowed`;
  return pattern.test(name) ? undefined : 'a name takes A-Z a-z 0-9 _ -';
}
