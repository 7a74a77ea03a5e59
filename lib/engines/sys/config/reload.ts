import { AppError, badRequest } from '../../../core/errors.ts';
import { onlyInRoot, operation, type Row } from '../../../path/contract/row.ts';
import { text } from '../../../path/fields.ts';

/** What a process can read again while it runs, by name. It rejects when the old state goes on. */
export type Reloads = Readonly<Record<string, () => Promise<void>>>;

/** `sys/config/reload/:subsystem`, for the process that answers. */
export const reloadRows = (reloads: Reloads): readonly Row[] =>
  onlyInRoot([
    {
      pattern: 'config/reload/:subsystem',
      help: `Reads files again that this process was started with: ${Object.keys(reloads).join(', ')}.`,
      operations: {
        write: operation(
          { subsystem: text(64).meta({ description: 'What is read again' }) },
          { summary: 'Read files again.', sudo: true, run: ({ subsystem }) => reload(reloads, subsystem) },
        ),
      },
    },
  ]);

async function reload(reloads: Reloads, subsystem: string): Promise<undefined> {
  const one = Object.hasOwn(reloads, subsystem) ? reloads[subsystem] : undefined;
  if (one === undefined) throw badRequest(`subsystem is one of ${Object.keys(reloads).join(', ')}`);
  await one().catch((cause) => {
    throw new AppError('bad-request', `${subsystem} was not reloaded, the former one goes on: ${codeOf(cause)}`, {
      cause,
    });
  });
  return undefined;
}

/** Of OpenSSL or the system; the message could name what is in a file. */
const codeOf = (cause: unknown): string =>
  cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : 'its files are not sound';
