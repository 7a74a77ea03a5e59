import { setTimeout as sleep } from 'node:timers/promises';

export const shortly = (): Promise<void> => sleep(50);

/** Waits until the condition holds; the test's own time-out is the bound. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await shortly();
}
