import { AppError, badField } from '#core/errors.ts';
import { onlyInRoot, operation, type Row } from '#path/contract/row.ts';
import { text } from '#path/fields.ts';

/** Reload functions by subsystem. One rejects when the old state stays in effect. */
export type Reloads = Readonly<Record<string, () => Promise<void>>>;

/** `sys/config/reload/:subsystem`, which affects only the process that answers. */
export const reloadRows = (reloads: Reloads): readonly Row[] =>
  onlyInRoot([
    {
      pattern: 'config/reload/:subsystem',
      help: `Reloads the files of a subsystem of this process: ${Object.keys(reloads).join(', ')}.`,
      operations: {
        write: operation(
          { subsystem: text(64).meta({ description: 'Subsystem to reload' }) },
          { summary: 'Reload files', sudo: true, run: ({ subsystem }) => reload(reloads, subsystem) },
        ),
      },
    },
  ]);

async function reload(reloads: Reloads, subsystem: string): Promise<undefined> {
  const one = Object.hasOwn(reloads, subsystem) ? reloads[subsystem] : undefined;
  if (one === undefined) throw badField('subsystem', `subsystem must be one of ${Object.keys(reloads).join(', ')}`);
  await one().catch((cause) => {
    throw new AppError(
      'bad-request',
      `reloading ${subsystem} failed, so it keeps its previous state: ${codeOf(cause)}`,
      {
        cause,
      },
    );
  });
  return undefined;
}

/** The error code of OpenSSL or the system; an error message could quote the content of a file. */
const codeOf = (cause: unknown): string =>
  cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : 'its files are not valid';
