/**
 * A run waits (`pending`), is planned by an agent (`planning`), and ends there or waits to be confirmed (`planned`). Confirmed
 * (`confirmed`) it is applied by an agent (`applying`). It holds the lock of its workspace from the beginning of the plan to its end.
 * One that only plans, or whose plan is kept for later, holds nothing while it is planned.
 */
export const runStatuses = [
  'pending',
  'planning',
  'planned',
  'confirmed',
  'applying',
  'applied',
  'planned_and_finished',
  'planned_and_saved',
  'discarded',
  'canceled',
  'errored',
] as const;

export type RunStatus = (typeof runStatuses)[number];

/** Nothing follows. A plan that was kept may still be confirmed, and nobody waits for that. */
export const finalStatuses: readonly RunStatus[] = [
  'applied',
  'planned_and_finished',
  'planned_and_saved',
  'discarded',
  'canceled',
  'errored',
];

export const confirmable: readonly RunStatus[] = ['planned', 'planned_and_saved'];
export const discardable: readonly RunStatus[] = ['pending', 'planned', 'planned_and_saved'];
/** Those that an agent works on end when it has heard of it; the others at once. */
export const cancelable: readonly RunStatus[] = ['pending', 'planning', 'confirmed', 'applying'];
export const atWork: readonly RunStatus[] = ['planning', 'applying'];

/** Groups that lists can be filtered by. */
export const statusGroups: Readonly<Record<string, readonly RunStatus[]>> = {
  non_final: runStatuses.filter((status) => !finalStatuses.includes(status)),
  final: finalStatuses,
  discardable,
};

export const isFinal = (status: RunStatus): boolean => finalStatuses.includes(status);

/** What a plan leads to. */
export function afterPlan(run: {
  readonly planOnly: boolean;
  readonly savePlan: boolean;
  readonly autoApply: boolean;
  /** There is something to apply. */
  readonly applies: boolean;
}): RunStatus {
  if (run.planOnly || !run.applies) return 'planned_and_finished';
  if (run.savePlan) return 'planned_and_saved';
  return run.autoApply ? 'confirmed' : 'planned';
}
