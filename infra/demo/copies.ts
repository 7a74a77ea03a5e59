import { isDeepStrictEqual } from 'node:util';
import { tableLines } from '../show/table.ts';
import type { Terminal } from '../show/terminal.ts';
import type { Stage } from './stage.ts';

/** One object of the secret at a destination, as the API shows it. */
export interface Copy {
  readonly type: string;
  readonly name: string;
  readonly subKey: string;
  readonly externalName: string;
  readonly status: string;
  readonly error: { readonly kind: string; readonly message: string } | null;
}

export interface SecretId {
  readonly mount: string;
  readonly secret_name: string;
}

interface Destinations {
  readonly associated_destinations: Readonly<Record<string, DestinationRecord>>;
}

interface DestinationRecord {
  readonly type: string;
  readonly name: string;
  readonly sub_key: string;
  readonly external_name: string;
  readonly sync_status: string;
  readonly error: Copy['error'];
}

export async function copiesOf(stage: Stage, secret: SecretId): Promise<readonly Copy[]> {
  const query = new URLSearchParams({ ...secret });
  const data = await stage.api.read<Destinations>(`sys/sync/associations/destinations?${query}`);
  return Object.values(data.associated_destinations).map((record) => ({
    type: record.type,
    name: record.name,
    subKey: record.sub_key,
    externalName: record.external_name,
    status: record.sync_status,
    error: record.error,
  }));
}

const waitMsMax = 30_000;

/** Polls until every copy has the expected status of its type. */
export async function untilStatus(
  stage: Stage,
  secret: SecretId,
  wanted: (type: string) => string,
): Promise<readonly Copy[]> {
  const deadline = Date.now() + waitMsMax;
  for (;;) {
    const copies = await copiesOf(stage, secret);
    const wrong = copies.filter((copy) => copy.status !== wanted(copy.type));
    if (wrong.length === 0) return copies;
    if (Date.now() > deadline) {
      const seen = wrong.map(
        ({ type, status, error }) => `${type} is ${status}${error === null ? '' : ` (${error.message})`}`,
      );
      throw new Error(`waited ${waitMsMax / 1_000} s: ${seen.join(', ')}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** `took`: milliseconds per destination type. */
export function showCopies(terminal: Terminal, copies: readonly Copy[], took?: ReadonlyMap<string, number>): void {
  const columns = [{ title: 'type' }, { title: 'name' }, { title: 'external name' }, { title: 'status' }];
  const rows = copies.map((copy) => [copy.type, copy.name, copy.externalName, colouredStatus(terminal, copy.status)]);
  if (took === undefined) show(terminal, tableLines(columns, rows));
  else {
    const timed = rows.map((row, index) => [...row, String(Math.round(took.get(copies[index]?.type ?? '') ?? 0))]);
    show(terminal, tableLines([...columns, { title: 'ms', align: 'right' }], timed));
  }
}

function show(terminal: Terminal, lines: readonly string[]): void {
  for (const line of lines) terminal.line(`  ${line}`);
}

function colouredStatus(terminal: Terminal, status: string): string {
  return terminal.styled(status === 'SYNCED' ? 'green' : status === 'PENDING' ? 'yellow' : 'red', status);
}

/** Reads every copy back from its stand-in and compares it with the secret. */
export function compareCopies(
  stage: Stage,
  terminal: Terminal,
  copies: readonly Copy[],
  data: Readonly<Record<string, string>>,
): void {
  for (const { type, subKey, externalName } of copies) {
    const found = stage.fakes.get(type)?.objects().get(externalName)?.value;
    const equal =
      subKey === '' ? found !== undefined && isDeepStrictEqual(JSON.parse(found), data) : found === data[subKey];
    if (!equal) throw new Error(`${type}: the copy ${externalName} differs from the secret`);
  }
  terminal.line(
    terminal.styled('green', `  ${copies.length} copies read back from the stand-ins: all equal to the secret`),
  );
}
