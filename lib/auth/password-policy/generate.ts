import { randomInt } from 'node:crypto';
import type { PasswordPolicy } from './parse.ts';

/**
 * A password in which every one that the policy allows is equally likely: characters are drawn until the rules hold.
 * Undefined: they did not hold so many times, since the rules leave few passwords of all that are drawn.
 */
export function generatePassword({ length, rules }: PasswordPolicy, attemptsMax: number): string | undefined {
  const all = [...new Set(rules.flatMap(({ charset }) => charset))];
  const wanted = rules.map(({ charset, charactersMin }) => ({ charset: new Set(charset), charactersMin }));
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const drawn = Array.from({ length }, () => all[randomInt(all.length)] ?? '');
    const holds = wanted.every(
      ({ charset, charactersMin }) => drawn.filter((one) => charset.has(one)).length >= charactersMin,
    );
    if (holds) return drawn.join('');
  }
  return undefined;
}
