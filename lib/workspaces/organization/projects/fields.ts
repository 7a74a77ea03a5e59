import { z } from 'zod';
import { flag, oneOf, text } from '../../../path/jsonapi/fields.ts';
import { overwritesMessage } from '../../frame/overwrites.ts';

/** Attributes of a project that clients send. */
export const projectFields = {
  name: text(90)
    .min(3, 'is too short (minimum is 3 characters)')
    .regex(/^[A-Za-z0-9](?:[A-Za-z0-9 _-]*[A-Za-z0-9_-])?$/, 'may only contain letters, numbers, spaces, "_", and "-"'),
  description: text(256).nullable(),
  'auto-destroy-activity-duration': z
    .string('must be a string')
    .regex(/^0*[1-9]\d{0,3}[dh]$/, "has an incorrect format, we expect up to 4 numeric digits and 1 unit ('d' or 'h')")
    .max(5, "has an incorrect format, we expect up to 4 numeric digits and 1 unit ('d' or 'h')")
    .nullable(),
  'default-execution-mode': oneOf(['remote', 'local', 'agent']).nullable(),
  'default-agent-pool-id': text(64).nullable(),
  'setting-overwrites': z
    .strictObject(
      {
        'default-execution-mode': flag().nullish(),
        'default-agent-pool': flag().nullish(),
      },
      { error: overwritesMessage('default-execution-mode and default-agent-pool') },
    )
    .nullable(),
};
