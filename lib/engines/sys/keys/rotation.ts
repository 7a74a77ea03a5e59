import { durationText } from '../../../core/duration-text.ts';
import { badRequest } from '../../../core/errors.ts';
import { operation, type Row } from '../../../path/contract/row.ts';
import { bool, duration, integer } from '../../../path/fields.ts';
import { operationsMaxSafe } from '../../../store/encryption/keyring.ts';
import type { KeyRowParts } from './parts.ts';

const operationsMaxLeast = 1_000_000;
const intervalSecondsLeast = 86_400;

const fields = {
  max_operations: integer()
    .nullish()
    .meta({ description: `Values under one key, ${operationsMaxLeast} to ${operationsMaxSafe}.` }),
  interval: duration().nullish().meta({ description: 'Age of a key, at least 24h; 0: no limit.' }),
  enabled: bool().nullish().meta({ description: 'false: keys are replaced by hand, or when going on is not safe.' }),
};

/** `sys/rotate/config`: when the keys of the keyring are replaced by themselves. */
export function rotationRow({ seal }: Pick<KeyRowParts, 'seal'>): Row {
  return {
    pattern: 'rotate/config',
    help: 'Says after how many values, or after what time, a new key is added to the keyring without anybody asking for it.',
    operations: {
      read: operation(
        {},
        {
          summary: 'Show the settings.',
          async run() {
            const { enabled, operationsMax, intervalSeconds } = seal.rotation();
            const interval = intervalSeconds === 0 ? 0 : durationText(intervalSeconds);
            return { data: { enabled, max_operations: operationsMax, interval }, flat: true };
          },
        },
      ),
      write: operation(fields, {
        summary: 'Change what is given of them.',
        async run({ max_operations: operationsMax, interval: intervalSeconds, enabled }) {
          await seal.configureRotation({
            ...(typeof operationsMax === 'number' ? { operationsMax: soundOperations(operationsMax) } : {}),
            ...(typeof intervalSeconds === 'number' ? { intervalSeconds: soundInterval(intervalSeconds) } : {}),
            ...(typeof enabled === 'boolean' ? { enabled } : {}),
          });
          return undefined;
        },
      }),
    },
  };
}

function soundOperations(count: number): number {
  if (count >= operationsMaxLeast && count <= operationsMaxSafe) return count;
  throw badRequest(`max_operations has to be from ${operationsMaxLeast} to ${operationsMaxSafe}`);
}

function soundInterval(seconds: number): number {
  if (seconds === 0 || (seconds >= intervalSecondsLeast && seconds <= 2 ** 31)) return seconds;
  throw badRequest('interval has to be 0 or at least 24h');
}
