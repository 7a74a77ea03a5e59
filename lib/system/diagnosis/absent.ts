import { notFound } from '#core/errors.ts';
import type { Reply } from '#path/contract/reply.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { pathText } from '#path/fields.ts';

/** Diagnostic paths of the API family that this service does not have; each reply names the alternative. */
export const absentRows: readonly Row[] = [
  absent('monitor', 'the log is not available over the API; read the standard error of the process'),
  absent('pprof', 'profiles are not available over the API; see sys/metrics'),
  absent('pprof/*path', 'profiles are not available over the API; see sys/metrics'),
];

function absent(pattern: string, why: string): Row {
  const run = async (): Promise<Reply> => {
    throw notFound([`not supported: ${why}`]);
  };
  const fields = pattern.endsWith('*path') ? { path: pathText('Name of the profile') } : {};
  return {
    pattern,
    help: `Refuses the request: ${why}.`,
    operations: { read: operation(fields, { summary: 'Refuse the request', sudo: true, run }) },
  };
}
