import type { Moved, OnTable } from '#store/backup/parts.ts';
import { openTerminal } from './terminal.ts';

/** Reports completed tables on standard error: on a terminal in one line that is overwritten. */
export function tableProgress(quiet: boolean, stream: NodeJS.WriteStream = process.stderr): OnTable {
  const { interactive } = openTerminal(stream);
  return (name, rows) => {
    if (quiet) return;
    const line = `${name}: ${rows} ${rows === 1 ? 'row' : 'rows'}`;
    stream.write(interactive ? `\r\u001b[2K${line}` : `${line}\n`);
  };
}

/** Ends the line that is overwritten. */
export function endProgress(quiet: boolean, stream: NodeJS.WriteStream = process.stderr): void {
  if (!quiet && openTerminal(stream).interactive) stream.write('\r\u001b[2K');
}

export const rowsOf = ({ rows }: Moved): number => Object.values(rows).reduce((sum, count) => sum + count, 0);
