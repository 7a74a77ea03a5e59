import { badField, notFound } from '#core/errors.ts';
import type { LogLevel, LogLevels } from '#core/log/log.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { pathText, text } from '#path/fields.ts';

const name = pathText('Part of the process, as named in the list');
const level = text(64)
  .optional()
  .meta({ description: 'debug, info, warn or error; also trace, notice, warning and err' });

/** Level names of the API family and the levels they map to. */
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

/** `sys/loggers`: changes the log level of this process while it runs. Other processes keep theirs. */
export const loggerRows = (levels: LogLevels): readonly Row[] => [
  {
    pattern: 'loggers',
    help: 'Shows and sets the log levels of this process, until it ends.',
    operations: {
      read: operation(
        {},
        { summary: 'Show the levels', run: async () => ({ data: Object.fromEntries(levels.all()) }) },
      ),
      write: operation(
        { level },
        {
          summary: 'Set the level of all parts',
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
          summary: 'Reset the level of all parts to that of the start',
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
    help: 'Shows and sets the log level of a part of this process, until it ends.',
    operations: {
      read: operation(
        { name },
        {
          summary: 'Show the level of a part',
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
          summary: 'Set the level of a part',
          async run(input) {
            if (!levels.set(input.name, levelOf(input.level))) throw unknown(input.name);
            return undefined;
          },
        },
      ),
      delete: operation(
        { name },
        {
          summary: 'Reset the level of a part to that of the start',
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
  if (given === undefined || given === '') throw badField('level', 'level is required');
  const found = known.get(given.toLowerCase());
  if (found === undefined) throw badField('level', `invalid level: must be one of ${[...known.keys()].join(', ')}`);
  return found;
}

const unknown = (part: string) => notFound([`logger ${JSON.stringify(part)} not found`]);
