import { randomBytes } from 'node:crypto';
import { badField } from '#core/errors.ts';
import { uuid } from '#core/ids.ts';
import type { Reply } from '#path/contract/reply.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { bool, pathText, text, textMap } from '#path/fields.ts';
import { type DeviceRecord, devicePath, openDevice } from '../devices/device.ts';
import { shownOptions } from '../devices/kinds.ts';
import { testLine } from '../lines/lines.ts';
import { reasonOf } from '../record.ts';
import { insertDevice, removeDevice } from '../store/devices.ts';
import type { AuditRowParts } from './parts.ts';

const path = pathText('Path of the device');
const fields = {
  path,
  type: text(64).optional().meta({ description: 'file, socket or http' }),
  description: text(1_024).default('').meta({ description: 'Description of the device' }),
  local: bool().default(false).meta({ description: 'Stored for clients; has no effect' }),
  options: textMap().default({}).meta({ description: 'Options of the type, as strings', sensitive: true }),
};
const saltBytes = 32;

/** `sys/audit`. */
export const deviceRows = (parts: AuditRowParts): readonly Row[] => [
  {
    pattern: 'audit',
    help: 'Shows the audit devices, which record every request and every reply.',
    operations: {
      read: operation(
        {},
        {
          summary: 'Show all audit devices',
          sudo: true,
          run: () => showAll(parts),
        },
      ),
    },
  },
  {
    pattern: 'audit/*path',
    restIsName: true,
    help: 'Enables and disables an audit device. A request fails while no enabled device can record it.',
    operations: {
      read: operation(
        { path },
        {
          summary: 'Show an audit device',
          sudo: true,
          run: (input) => (input.path === '' ? showAll(parts) : showOne(parts, input.path)),
        },
      ),
      write: operation(fields, {
        summary: 'Enable an audit device',
        sudo: true,
        async run(input) {
          await enable(parts, input);
          return undefined;
        },
      }),
      delete: operation(
        { path },
        {
          summary: 'Disable an audit device',
          sudo: true,
          async run(input) {
            await removeDevice(parts.store, devicePath(input.path));
            await parts.devices.refresh();
            return undefined;
          },
        },
      ),
    },
  },
];

async function showAll({ devices }: AuditRowParts): Promise<Reply> {
  const open = (await devices.current()).devices;
  return { data: Object.fromEntries(open.map(({ record }) => [record.path, showDevice(record)])), flat: true };
}

async function showOne({ devices }: AuditRowParts, given: string): Promise<Reply> {
  const own = devicePath(given);
  const device = (await devices.current()).devices.find(({ record }) => record.path === own);
  return device && { data: showDevice(device.record) };
}

const showDevice = ({ path: own, type, description, local, options }: DeviceRecord): object => ({
  path: own,
  type,
  description,
  local,
  options: shownOptions(type, options),
});

interface Wanted extends Pick<DeviceRecord, 'path' | 'description' | 'local' | 'options'> {
  readonly type?: string | undefined;
}

/** Enables a device once it has recorded a test line. */
async function enable(
  { store, clock, devices, bounds }: AuditRowParts,
  { type = '', ...wanted }: Wanted,
): Promise<void> {
  const own = devicePath(wanted.path);
  const record = { ...wanted, path: own, type, id: uuid(), salt: randomBytes(saltBytes).toString('hex') };
  if ((await devices.current()).devices.some(({ record: other }) => other.path === own))
    throw badField('path', 'path already in use');
  const device = openDevice(record, bounds);
  try {
    await device.queue.add(testLine(device.marks, clock.now(), uuid()));
    await insertDevice(store, record);
  } catch (error) {
    await device.queue.close();
    if (error instanceof Error && error.name === 'AppError') throw error;
    throw badField('options', `the audit device failed to record: ${reasonOf(error).reason}`, { cause: error });
  }
  devices.adopt(device);
  await devices.refresh();
}
