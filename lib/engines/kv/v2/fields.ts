import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../../core/json.ts';
import { integer, integerList, pathText } from '../../../path/fields.ts';
import { versionMax } from './versions/versions.ts';

export const path = pathText('Path of the secret');

/** A JSON object, kept as parsed, numbers with their digits. */
export function object() {
  return z
    .custom<JsonObject>()
    .superRefine((value: unknown, context) => {
      // An issue of this code can be shown for a sensitive field as well; a message of one's own cannot.
      if (!isJsonObject(value))
        context.addIssue({ code: 'invalid_type', expected: 'object', message: 'expected an object' });
    })
    .meta({ type: 'object' });
}

/** Its members are secret, so no error shows them. */
export const secretData = object().optional().meta({ description: 'The secret: any JSON object', sensitive: true });

/** A write takes null for an object without members. */
export const secretDataOrNull = secretData.nullable();

export const casOptions = object()
  .optional()
  .meta({
    description: 'cas: write only if this is the number of the current version; 0: only if there is none',
    members: ['cas'],
  });

export const version = integer().default(0).meta({ description: 'Number of the version; 0: the current one' });

const numberRule = `the number of a version is at most ${versionMax}`;

export const versions = integerList()
  .pipe(z.array(z.int().max(versionMax, numberRule)))
  .default([])
  .meta({ description: 'Numbers of the versions' });
