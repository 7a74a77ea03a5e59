/** A move of a mount that has ended. */
export interface Migration {
  readonly from: string;
  readonly to: string;
}

/**
 * The id of a move is the move itself, so that every process can answer for it and nothing has to be kept. Hexadecimal
 * digits go through every path unchanged.
 */
export const migrationId = ({ from, to }: Migration): string => Buffer.from(`${from}${between}${to}`).toString('hex');

/** Undefined for a text that is no id of a move. */
export function migrationOf(id: string): Migration | undefined {
  if (!/^([0-9a-f]{2})+$/.test(id)) return undefined;
  const [from, to, ...more] = Buffer.from(id, 'hex').toString().split(between);
  return from && to && more.length === 0 ? { from, to } : undefined;
}

/** No path of a mount has it. */
const between = '\n';
