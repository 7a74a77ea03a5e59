import { notFound } from '../../../core/errors.ts';
import type { Reply } from '../../../path/contract/reply.ts';
import { operation, type Row } from '../../../path/contract/row.ts';
import { pathText } from '../../../path/fields.ts';

/** What others of the API family have for looking into a process, and is left out here; each says what there is instead. */
export const absentRows: readonly Row[] = [
  absent('monitor', 'the log is not sent over the API: read the standard error of the process'),
  absent('pprof', 'profiles are not taken over the API: see sys/metrics'),
  absent('pprof/*path', 'profiles are not taken over the API: see sys/metrics'),
];

function absent(pattern: string, why: string): Row {
  const run = async (): Promise<Reply> => {
    throw notFound([`not supported: ${why}`]);
  };
  const fields = pattern.endsWith('*path') ? { path: pathText('Name of the profile') } : {};
  return {
    pattern,
    help: `Not supported: ${why}.`,
    operations: { read: operation(fields, { summary: 'Refused.', sudo: true, run }) },
  };
}
