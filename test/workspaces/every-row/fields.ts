import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../../../lib/workspaces');

/** Names that the code of the service has in it: what documents may hold, whichever row reads it. */
export interface Names {
  readonly attributes: readonly string[];
  readonly relationships: readonly string[];
  readonly queries: readonly string[];
}

/** Finds them in the source, so that what a row comes to read is sent to it at once. */
export async function namesInSource(): Promise<Names> {
  const files = (await readdir(root, { recursive: true })).filter((file) => file.endsWith('.ts'));
  const source = (await Promise.all(files.map((file) => readFile(join(root, file), 'utf8')))).join('\n');
  const found = (pattern: RegExp) =>
    [...new Set([...source.matchAll(pattern)].map(([, name = '']) => name))].toSorted();
  return {
    attributes: found(
      /^\s+'?([a-z][a-z-]+)'?: (?:z\b|text|flag|oneOf|whole|time|texts|email|username|organizationName|minutes)/gm,
    ),
    relationships: found(/related(?:One|Many|Id)\(\w+(?:\(\w+\))?, '([a-z-]+)'\)/g),
    queries: found(/query(?:\.get|\.has)?\(?[\w, ]*\(?'([a-z_[\]-]+)'/g),
  };
}
