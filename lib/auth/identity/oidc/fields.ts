import { z } from 'zod';
import { badField } from '#core/errors.ts';
import { atMost, text } from '#path/fields.ts';

const nameMax = 256;
const secondsMax = 315_360_000;

/** The name of a resource in the path. Unlike other names of the API it is case-sensitive, as clients of the family expect. */
export const nameField = (thing: string) =>
  z
    .string()
    .max(nameMax, atMost(nameMax, 'characters'))
    .meta({ description: `Name of the ${thing}`, in: 'path' });

/** The name of a resource in a body. */
export const nameText = () => text(nameMax);

/** Bounds of one namespace. */
export const bounds = { keys: 100, roles: 1_000, retiredVersions: 32 };

/** @throws AppError `bad-request` for more than ten years, which the store and the claims of a token cannot hold */
export function mustBeShortTime(field: string, seconds: number): void {
  if (seconds > secondsMax) throw badField(field, `${field} may be at most ${secondsMax} seconds`);
}

export const quoted = (name: string): string => JSON.stringify(name);
