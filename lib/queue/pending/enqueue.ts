import type { Operation } from '../contract.ts';
import { addition, type Jobs } from '../jobs.ts';
import type { Pending } from './pending.ts';

/** A script blocks Redis for everyone while it runs, so it gets its operations in pieces. */
export const chunkSize = 1_000;

/**
 * Reserves capacity, then adds jobs. A process that dies between the two leaves entries without a job, which `missing` finds. The
 * same operation may be given twice, also by two processes at once.
 */
export async function enqueue(
  pending: Pending,
  jobsOf: (type: string) => Jobs,
  operations: readonly Operation[],
  capacity: number,
): Promise<{ readonly refused: readonly string[]; readonly types: ReadonlySet<string> }> {
  const refused: string[] = [];
  const types = new Set<string>();
  for (const chunk of chunks(operations)) {
    const answers = await pending.ask(chunk, capacity);
    const accepted = chunk.filter((_, index) => answers[index]);
    for (const { id } of chunk.filter((_, index) => !answers[index])) refused.push(id);
    for (const [type, ofType] of Map.groupBy(accepted, (operation) => operation.type)) {
      await jobsOf(type).addBulk(ofType.map(addition));
      types.add(type);
    }
  }
  return { refused, types };
}

export function* chunks<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let from = 0; from < items.length; from += chunkSize) yield items.slice(from, from + chunkSize);
}
