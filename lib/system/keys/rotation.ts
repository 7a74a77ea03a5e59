import { badField } from '#core/errors.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { durationText } from '#path/duration-text.ts';
import { bool, duration, integer } from '#path/fields.ts';
import { operationsMaxSafe } from '#store/encryption/keyring.ts';
import type { Seal } from '#store/seal/contract.ts';
import type { KeyRowParts } from './parts.ts';

const operationsMaxLeast = 1_000_000;
const intervalSecondsLeast = 86_400;

const fields = {
  max_operations: integer()
    .nullish()
    .meta({ description: `Number of values encrypted with one key, ${operationsMaxLeast} to ${operationsMaxSafe}` }),
  interval: duration().nullish().meta({ description: 'Maximum age of a key, at least 24h; 0 for no limit' }),
  enabled: bool()
    .nullish()
    .meta({ description: 'false to rotate keys only on request, and when their safe limit is reached' }),
};

/** `sys/rotate/config`: when the keys of the keyring are rotated automatically. */
export function rotationRow({ seal }: Pick<KeyRowParts, 'seal'>): Row {
  return {
    pattern: 'rotate/config',
    help: 'Sets after how many values, or after what time, a new key is added to the keyring automatically.',
    operations: {
      read: operation(
        {},
        {
          summary: 'Show the settings of key rotation',
          async run() {
            const { enabled, operationsMax, intervalSeconds } = seal.rotation();
            const interval = intervalSeconds === 0 ? 0 : durationText(intervalSeconds);
            return { data: { enabled, max_operations: operationsMax, interval }, flat: true };
          },
        },
      ),
      write: operation(fields, {
        summary: 'Change the settings of key rotation; omitted fields keep their values',
        async run({ max_operations: operationsMax, interval: intervalSeconds, enabled }) {
          await seal.configureRotation({
            ...(typeof operationsMax === 'number' ? { operationsMax: validOperations(operationsMax) } : {}),
            ...(typeof intervalSeconds === 'number' ? { intervalSeconds: validInterval(intervalSeconds) } : {}),
            ...(typeof enabled === 'boolean' ? { enabled } : {}),
          });
          return undefined;
        },
      }),
    },
  };
}

function validOperations(count: number): number {
  if (count >= operationsMaxLeast && count <= operationsMaxSafe) return count;
  throw badField('max_operations', `max_operations must be from ${operationsMaxLeast} to ${operationsMaxSafe}`);
}

function validInterval(seconds: number): number {
  if (seconds === 0 || (seconds >= intervalSecondsLeast && seconds <= 2 ** 31)) return seconds;
  throw badField('interval', 'interval must be 0 or at least 24h');
}

/** `sys/key-status`, `sys/rotate` and `sys/rotate/keyring`: the keys with which the barrier encrypts values. */
export function rotateRows({ seal }: { readonly seal: Pick<Seal, 'rotate' | 'keyStatus'> }): readonly Row[] {
  const rotate = operation(
    {},
    {
      summary: 'Add a key to the keyring, which encrypts new values',
      rootNamespaceOnly: true,
      sudo: true,
      run: async () => {
        await seal.rotate();
        return undefined;
      },
    },
  );
  const help = 'Adds a key to the keyring. Values that are already stored remain readable.';
  return [
    keyStatusRow(seal),
    { pattern: 'rotate', help, operations: { write: rotate } },
    { pattern: 'rotate/keyring', help, operations: { write: rotate } },
  ];
}

function keyStatusRow(seal: Pick<Seal, 'keyStatus'>): Row {
  return {
    pattern: 'key-status',
    help: 'Shows the newest key of the keyring; the count of encryptions is approximate.',
    operations: {
      read: operation(
        {},
        {
          summary: 'Show term, age and use of the newest key',
          rootNamespaceOnly: true,
          run: async () => {
            const { term, installTime, encryptions } = seal.keyStatus();
            return { data: { term, install_time: installTime.toISOString(), encryptions }, flat: true };
          },
        },
      ),
    },
  };
}
