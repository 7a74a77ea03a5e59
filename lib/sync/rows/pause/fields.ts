import { z } from 'zod';
import { form } from '#destinations/frame/fields/form.ts';
import { own } from '#destinations/frame/fields/own.ts';
import { bool, text } from '#path/fields.ts';

/** The longest RFC 3339 time, with fractions of a second and an offset, is shorter. */
const timeCharactersMax = 64;

/** An RFC 3339 time. */
const time = (field: string) =>
  text(timeCharactersMax).pipe(
    z.iso.datetime({
      offset: true,
      error: `${field} must be a time such as "2030-01-31T08:00:00Z" (RFC 3339)`,
    }),
  );

/** The fields of a pause. @param what is paused */
export const pauseFields = (what: string) => ({
  disabled: bool()
    .optional()
    .meta({
      description: `${what}: operations wait as PENDING, and no call is made`,
      ...form('Paused', 'pause'),
      ...own,
    }),
  disabled_until: time('disabled_until')
    .optional()
    .meta({
      description: 'When the pause ends by itself; without it, the pause lasts until disabled=false',
      ...form('Paused until', 'pause'),
      ...own,
    }),
});

const names: ReadonlySet<string> = new Set(Object.keys(pauseFields('')));

/** Whether a request says something about a pause. */
export const mentionsPause = (input: object): boolean => given(input).some((name) => names.has(name));

/** Whether a request to change a destination concerns nothing that its objects depend on: its pause, and what looks do with drift. */
export const isPauseAlone = (input: object): boolean =>
  (mentionsPause(input) || given(input).includes('on_drift')) &&
  given(input).every((name) => names.has(name) || name === 'name' || name === 'on_drift');

const given = (input: object): readonly string[] =>
  Object.entries(input).flatMap(([name, value]) => (value === undefined ? [] : [name]));
