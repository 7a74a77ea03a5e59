import type { FileHandle } from 'node:fs/promises';
import { damaged, type Frame, readFrames } from './frames.ts';
import { type BackupHeader, endSchema, headerSchema, type Moved, tableSchema } from './parts.ts';

/** What an intact backup contains. */
export interface Verified extends Moved {
  readonly sha256: string;
}

/** In the text format of COPY, a line feed ends a row; line feeds in values are escaped. */
const lineFeed = 0x0a;

/**
 * Reads a whole backup and checks that the checksum matches, that nothing follows it, and that the tables have as many rows as the
 * closing record says. Contents are parsed only after the checksum has been verified.
 *
 * @throws Error for a file that is truncated, altered or not a backup
 */
export async function verify(file: FileHandle): Promise<Verified> {
  const tables: { readonly head: Frame; rows: number }[] = [];
  let [header, end]: (Frame | undefined)[] = [];
  const frames = readFrames(file);
  for (;;) {
    const { done, value: frame } = await frames.next();
    if (done) return verified(header, tables, end, frame);
    const table = tables.at(-1);
    if (end !== undefined || (frame.kind === 'H') !== (header === undefined)) throw damaged();
    if (frame.kind === 'H') header = frame;
    else if (frame.kind === 'T') tables.push({ head: frame, rows: 0 });
    else if (frame.kind === 'E') end = frame;
    else if (table === undefined) throw damaged();
    else table.rows += lineFeedsIn(frame.content);
  }
}

function lineFeedsIn(content: Buffer): number {
  let count = 0;
  for (let at = content.indexOf(lineFeed); at >= 0; at = content.indexOf(lineFeed, at + 1)) count += 1;
  return count;
}

function verified(
  header: Frame | undefined,
  tables: readonly { readonly head: Frame; readonly rows: number }[],
  end: Frame | undefined,
  sha256: string,
): Verified {
  if (header === undefined || end === undefined) throw damaged();
  const { rows } = endSchema.parse(json(end));
  const found = Object.fromEntries(tables.map(({ head, rows }) => [tableSchema.parse(json(head)).name, rows]));
  const names = new Set([...Object.keys(rows), ...Object.keys(found)]);
  const wrong = [...names].find((name) => rows[name] !== found[name]);
  if (wrong !== undefined)
    throw new Error(
      `the backup has another number of rows of the table ${wrong} than it recorded: make another backup`,
    );
  return { header: headerOf(header), rows, sha256 };
}

const headerOf = (frame: Frame): BackupHeader => headerSchema.parse(json(frame));
const json = ({ content }: Frame): unknown => JSON.parse(content.toString());
