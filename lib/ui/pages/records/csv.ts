import type { SyncRecord } from './record.ts';

const columns: readonly (readonly [name: string, of: (record: SyncRecord) => string])[] = [
  ['id', ({ id }) => id],
  ['destination_type', ({ type }) => type],
  ['destination', ({ destination }) => destination],
  ['mount', ({ mount }) => mount],
  ['secret', ({ secret }) => secret],
  ['external_name', ({ externalName }) => externalName],
  ['status', ({ status }) => status],
  ['error_kind', ({ error }) => error?.kind ?? ''],
  ['error', ({ error }) => error?.message ?? ''],
  ['remedy', ({ error }) => error?.remedy ?? ''],
  ['attempts', ({ attempts }) => String(attempts)],
  ['pending_since', ({ pendingSince }) => pendingSince],
  ['next_attempt_at', ({ nextAttemptAt }) => nextAttemptAt],
  ['updated_at', ({ updatedAt }) => updatedAt],
];

export const csvHead = `${columns.map(([name]) => name).join(',')}\r\n`;

/** Names and states of records, never a value of a secret. */
export const csvLines = (records: readonly SyncRecord[]): string =>
  records.map((record) => `${columns.map(([, of]) => csvCell(of(record))).join(',')}\r\n`).join('');

/** As RFC 4180 has it. A text that a spreadsheet would take for a formula gets an apostrophe before it. */
export function csvCell(text: string): string {
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
