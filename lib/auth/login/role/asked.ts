import { text } from '../../../path/fields.ts';

const charactersMax = 1_024;

/** A text of a login's data as its row will read it, before anything is checked; empty: there is none that it can be. */
export function askedText(data: Readonly<Record<string, unknown>>, name: string): string {
  const read = text(charactersMax).safeParse(data[name]);
  return read.success ? read.data : '';
}

/** The role that a login names; capitals do not count. Undefined: it names none. */
export const askedRole = (data: Readonly<Record<string, unknown>>): string | undefined =>
  askedText(data, 'role').toLowerCase() || undefined;
