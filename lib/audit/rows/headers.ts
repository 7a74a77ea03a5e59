import { badField, badRequest } from '#core/errors.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { bool, pathText } from '#path/fields.ts';
import { secretHeaders } from '../lines/marks.ts';
import { putHeader, removeHeader } from '../store/devices.ts';
import type { AuditRowParts } from './parts.ts';

const header = pathText('Name of the header');
const charactersMax = 128;

/** `sys/config/auditing/request-headers`. */
export const headerRows = (parts: AuditRowParts): readonly Row[] => [
  {
    pattern: 'config/auditing/request-headers',
    help: 'Shows which request headers audit devices record.',
    operations: {
      read: operation(
        {},
        {
          summary: 'Show the recorded headers',
          sudo: true,
          async run() {
            const headers = await recorded(parts);
            return {
              data: { headers: Object.fromEntries([...headers].map(([name, hmac]) => [name, { hmac }])) },
              flat: true,
            };
          },
        },
      ),
    },
  },
  {
    pattern: 'config/auditing/request-headers/:header',
    help: 'Sets whether audit devices record a request header, in plain text or as HMAC.',
    operations: {
      read: operation(
        { header },
        {
          summary: 'Show how a header is recorded',
          sudo: true,
          async run(input) {
            const name = input.header.toLowerCase();
            const hmac = (await recorded(parts)).get(name);
            if (hmac === undefined) throw badRequest('Could not find header in config');
            return { data: { [name]: { hmac } }, flat: true };
          },
        },
      ),
      write: operation(
        { header, hmac: bool().default(false).meta({ description: 'Record the HMAC of its value' }) },
        {
          summary: 'Record a header',
          sudo: true,
          async run(input) {
            await putHeader(parts.store, headerName(input.header), input.hmac || isSecret(input.header));
            await parts.devices.refresh();
            return undefined;
          },
        },
      ),
      delete: operation(
        { header },
        {
          summary: 'Stop recording a header',
          sudo: true,
          async run(input) {
            await removeHeader(parts.store, input.header.toLowerCase());
            await parts.devices.refresh();
            return undefined;
          },
        },
      ),
    },
  },
];

async function recorded({ devices }: AuditRowParts): Promise<ReadonlyMap<string, boolean>> {
  return (await devices.current()).headers;
}

const isSecret = (name: string): boolean => secretHeaders.includes(name.toLowerCase());

function headerName(given: string): string {
  if (given.length <= charactersMax) return given.toLowerCase();
  throw badField('header', `the name of a header may have at most ${charactersMax} characters`);
}
