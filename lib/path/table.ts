import type { z } from 'zod';
import type { Verb } from './contract/request.ts';
import type { Operation, Row } from './contract/row.ts';
import { inputReader, type ReadInput } from './input/parse.ts';
import { fieldMeta } from './meta.ts';
import type { SecretPart } from './shown-path.ts';
import { parameterNames, parsePattern, type Segment, SegmentTree } from './tree.ts';

/** The row of a request. `operation` is undefined when the path is known but has no such verb (405). */
export interface Match {
  readonly row: Row;
  readonly operation: CompiledOperation | undefined;
  readonly parameters: Readonly<Record<string, string>>;
  /** Parts of the path below the mount: the parameters that fields of the row mark as sensitive. */
  readonly secrets: readonly SecretPart[];
}

/** An operation, ready for requests. */
export interface CompiledOperation extends Operation {
  readonly read: ReadInput;
}

export interface PathTable {
  /**
   * The most specific row with the path and the verb, else the most specific one with the path, else undefined. So
   * `destinations/a/:name` may answer writes and `destinations/:type/:name` reads of the same path.
   * `path` is relative to the mount; the path of a listing ends in `/`.
   */
  find(path: string, verb: Verb): Match | undefined;
  readonly rows: readonly Row[];
}

interface Entry {
  readonly row: Row;
  readonly names: readonly string[];
  readonly operations: Readonly<Partial<Record<Verb, CompiledOperation>>>;
  readonly secrets: readonly SecretPart[];
}

/**
 * Compiles rows to a table; their order does not matter.
 *
 * @throws Error when two rows of the same shape answer the same verb, or when a path field is not in the pattern of its row
 */
export function compileTable(rows: readonly Row[]): PathTable {
  const tree = new SegmentTree<Entry>();
  for (const row of rows) addRow(tree, row);
  return { rows, find: (path, verb) => find(tree, path, verb) };
}

function find(tree: SegmentTree<Entry>, path: string, verb: Verb): Match | undefined {
  let match: Match | undefined;
  tree.visit(path, verb === 'list', (entry, values) => {
    if (entry.row.restIsName && path.endsWith('.')) return false;
    const operation = entry.operations[verb];
    if (operation === undefined && match !== undefined) return false;
    match = { row: entry.row, operation, parameters: parametersOf(entry.names, values), secrets: entry.secrets };
    return operation !== undefined;
  });
  return match;
}

function parametersOf(names: readonly string[], values: readonly string[]): Match['parameters'] {
  const parameters: Record<string, string> = {};
  names.forEach((name, index) => {
    parameters[name] = values[index] ?? '';
  });
  return parameters;
}

function addRow(tree: SegmentTree<Entry>, row: Row): void {
  const segments = parsePattern(row.pattern);
  const names = parameterNames(segments);
  const operations = compileOperations(row, names);
  const entry = { row, names, operations, secrets: secretsOf(segments, row) };
  for (const other of tree.add(segments, entry)) if (other !== entry) refuseOverlap(row, other.row);
}

/** A request with a verb that the row does not answer may contain the secret too, so the fields of all operations count. */
function secretsOf(segments: readonly Segment[], row: Row): readonly SecretPart[] {
  const sensitive = new Set(
    Object.values(row.operations).flatMap(({ fields }) =>
      Object.keys(fields).filter((name) => isSecretInPath(fields[name])),
    ),
  );
  return segments.flatMap((segment, at) =>
    segment.kind === 'literal' || !sensitive.has(segment.name)
      ? []
      : [{ at, toEnd: segment.kind === 'rest', claim: '' }],
  );
}

function isSecretInPath(field: z.ZodType | undefined): boolean {
  if (field === undefined) return false;
  const { in: from, sensitive } = fieldMeta(field);
  return from === 'path' && sensitive === true;
}

function refuseOverlap(row: Row, other: Row): void {
  const shared = Object.keys(row.operations).filter((verb) => verb in other.operations);
  if (shared.length === 0) return;
  throw new Error(`rows ${other.pattern} and ${row.pattern} match the same paths and both answer ${shared.join(', ')}`);
}

function compileOperations(row: Row, names: readonly string[]): Entry['operations'] {
  const compiled: Partial<Record<Verb, CompiledOperation>> = {};
  for (const verb of ['read', 'list', 'write', 'patch', 'delete'] as const) {
    const operation = row.operations[verb];
    if (operation === undefined) continue;
    refuseUnboundFields(row, operation, names);
    compiled[verb] = { ...operation, read: inputReader(operation, verb) };
  }
  return compiled;
}

function refuseUnboundFields(row: Row, operation: Operation, names: readonly string[]): void {
  for (const [name, field] of Object.entries(operation.fields)) {
    if (fieldMeta(field).in !== 'path' || names.includes(name)) continue;
    throw new Error(`row ${row.pattern}: the field ${name} comes from the path, but the pattern has no such parameter`);
  }
}
