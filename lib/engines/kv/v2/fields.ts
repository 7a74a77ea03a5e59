import { z } from 'zod';
import { isJsonObject, type JsonObject } from '#core/json/json.ts';
import { integer, integerList, pathText } from '#path/fields.ts';
import { versionMax } from './rules/versions.ts';

export const path = pathText('Path of the secret');

/** A JSON object as parsed; numbers keep their digits. */
export function object() {
  return z
    .custom<JsonObject>()
    .superRefine((value: unknown, context) => {
      // An issue with this code may be shown even for a sensitive field; a custom message may not.
      if (!isJsonObject(value))
        context.addIssue({ code: 'invalid_type', expected: 'object', message: 'expected an object' });
    })
    .meta({ type: 'object' });
}

/** The members are secret, so errors never show them. */
export const secretData = object().optional().meta({ description: 'The secret: any JSON object', sensitive: true });

/** A write accepts null for an empty object. */
export const secretDataOrNull = secretData.nullable();

export const casOptions = object()
  .optional()
  .meta({
    description: 'cas: write only if this is the current version number; 0 to write only if the secret has no version',
    members: ['cas'],
  });

export const version = integer().default(0).meta({ description: 'Version number; 0 for the current version' });

const numberRule = `a version number may be at most ${versionMax}`;

export const versions = integerList()
  .pipe(z.array(z.int().max(versionMax, numberRule)))
  .default([])
  .meta({ description: 'Version numbers' });
