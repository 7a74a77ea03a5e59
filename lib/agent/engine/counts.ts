import { z } from 'zod';
import type { Outcome } from '../api/job.ts';

const plan = z.object({
  resource_changes: z
    .array(
      z.object({
        change: z.object({ actions: z.array(z.string()), importing: z.unknown().optional() }),
      }),
    )
    .optional(),
});

type Counts = Omit<Outcome, 'status' | 'has-changes'>;

/** The numbers of resources in the JSON form of a plan; none for another form. A replacement counts as an addition and a destruction. */
export function countsOfPlan(json: Buffer): Counts {
  const read = plan.safeParse(parsed(json));
  if (!read.success) return {};
  const changes = (read.data.resource_changes ?? []).map(({ change }) => change);
  const doing = (action: string): number => changes.filter(({ actions }) => actions.includes(action)).length;
  return {
    'resource-additions': doing('create'),
    'resource-changes': doing('update'),
    'resource-destructions': doing('delete'),
    'resource-imports': changes.filter(({ importing }) => importing !== undefined && importing !== null).length,
  };
}

function parsed(json: Buffer): unknown {
  try {
    return JSON.parse(json.toString());
  } catch {
    return undefined;
  }
}

const said = /Resources: (?:(\d+) imported, )?(\d+) added, (\d+) changed, (\d+) destroyed/;

/** The numbers that the engine prints at the end of an apply. */
export function countsOfApply(tail: string): Counts {
  const [, imported = '0', added, changed, destroyed] = said.exec(tail) ?? [];
  if (added === undefined) return {};
  return {
    'resource-additions': Number(added),
    'resource-changes': Number(changed),
    'resource-destructions': Number(destroyed),
    'resource-imports': Number(imported),
  };
}
