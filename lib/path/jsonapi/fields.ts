import { z } from 'zod';
import { sizeRule } from '../fields.ts';

/** Types of attributes. Their messages are written to follow the name of the attribute. */
export const text = (charactersMax = 512) =>
  z.string('must be a string').max(charactersMax, sizeRule(`is too long (maximum is ${charactersMax} characters)`));
/** For a text that must not be empty: `text().min(1, notBlank)`. */
export const notBlank = sizeRule("can't be blank");
export const flag = () => z.boolean('must be true or false');
export const whole = (min: number, max: number) =>
  z
    .number('must be a number')
    .int('must be an integer')
    .min(min, `must be at least ${min}`)
    .max(max, `must be at most ${max}`);
export const oneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, `must be one of ${values.join(', ')}`);
/** An RFC 3339 time. */
export const time = () =>
  z
    .string('must be a string')
    .max(64, sizeRule('is not a time'))
    .refine(isTime, 'is not a time')
    .transform((value) => new Date(value));
export const texts = (countMax = 100, charactersMax = 512) =>
  z.array(text(charactersMax), 'must be a list').max(countMax, sizeRule(`may have at most ${countMax} entries`));

/** JavaScript reads 30 February as 2 March, so the day must exist in its month. */
function isTime(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)T/.exec(text) ?? [];
  if (day === undefined || Number.isNaN(Date.parse(text))) return false;
  return Number(day) <= new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
}
