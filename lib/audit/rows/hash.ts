import { z } from 'zod';
import { badRequest } from '#core/errors.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { atMost, pathText } from '#path/fields.ts';
import { devicePath } from '../devices/device.ts';
import type { AuditRowParts } from './parts.ts';

const charactersMax = 1_048_576;
const fields = {
  path: pathText('Path of the device'),
  input: z
    .string()
    .max(charactersMax, atMost(charactersMax, 'characters'))
    .meta({ description: 'The text to look for', sensitive: true }),
};

/** `sys/audit-hash`. */
export const hashRow = ({ devices }: AuditRowParts): Row => ({
  pattern: 'audit-hash/*path',
  restIsName: true,
  help: 'Hashes a text as an audit device shows it, so that you can search for it in the log.',
  operations: {
    write: operation(fields, {
      summary: 'Hash a text as an audit device does',
      sudo: true,
      async run(input) {
        const path = devicePath(input.path);
        const device = (await devices.current()).devices.find(({ record }) => record.path === path);
        if (device === undefined) throw badRequest(`unknown audit backend ${JSON.stringify(path.slice(0, -1))}`);
        return { data: { hash: device.marks.hash(input.input) }, flat: true };
      },
    }),
  },
});
