import { badRequest, notFound } from '../../../core/errors.ts';
import type { LogLevel, LogLevels } from '../../../core/log.ts';
import { operation, type Row } from '../../../path/contract/row.ts';
import { pathText, text } from '../../../path/fields.ts';

const name = pathText('Part of the process, as the list names them');
const level = text(64)
  .optional()
  .meta({ description: 'debug, info, warn or error; also trace, notice, warning and err.' });

/** Names that clients of the API family know, and what they mean here. */
const known: ReadonlyMap<string, LogLevel> = new Map([
  ['trace', 'debug'],
  ['debug', 'debug'],
  ['notice', 'info'],
  ['info', 'info'],
  ['warn', 'warn'],
  ['warning', 'warn'],
  ['err', 'error'],
  ['error', 'error'],
]);

/** `sys/loggers`: what this process logs, changed while it runs. Other processes keep their levels. */
export const loggerRows = (levels: LogLevels): readonly Row[] => [
  {
    pattern: 'loggers',
    help: 'The levels of what this process logs. They last until it ends.',
    operations: {
      read: operation(
        {},
        { summary: 'Show the levels.', run: async () => ({ data: Object.fromEntries(levels.all()) }) },
      ),
      write: operation(
        { level },
        {
          summary: 'Set the level of all parts.',
          knownFieldsOnly: true,
          async run(input) {
            levels.setAll(levelOf(input.level));
            return undefined;
          },
        },
      ),
      delete: operation(
        {},
        {
          summary: 'Give all parts the level that the process was started with.',
          async run() {
            levels.resetAll();
            return undefined;
          },
        },
      ),
    },
  },
  {
    pattern: 'loggers/:name',
    help: 'The level of what a part of this process logs. It lasts until the process ends.',
    operations: {
      read: operation(
        { name },
        {
          summary: 'Show the level of a part.',
          async run(input) {
            const found = levels.all().get(input.name);
            if (found === undefined) throw unknown(input.name);
            return { data: { [input.name]: found } };
          },
        },
      ),
      write: operation(
        { name, level },
        {
          summary: 'Set the level of a part.',
          async run(input) {
            if (!levels.set(input.name, levelOf(input.level))) throw unknown(input.name);
            return undefined;
          },
        },
      ),
      delete: operation(
        { name },
        {
          summary: 'Give a part the level that the process was started with.',
          async run(input) {
            if (!levels.reset(input.name)) throw unknown(input.name);
            return undefined;
          },
        },
      ),
    },
  },
];

function levelOf(given: string | undefined): LogLevel {
  if (given === undefined || given === '') throw badRequest('level is required');
  const found = known.get(given.toLowerCase());
  if (found === undefined) throw badRequest(`invalid level: there are ${[...known.keys()].join(', ')}`);
  return found;
}

const unknown = (part: string) => notFound([`logger ${JSON.stringify(part)} not found`]);
