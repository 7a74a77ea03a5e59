/**
 * A run waits (`pending`), is planned by an agent (`planning`), and then ends or waits for confirmation (`planned`). Once confirmed
 * (`confirmed`) it is applied by an agent (`applying`). It holds the lock of its workspace from the start of the plan to its end.
 * A plan-only run, or a run whose plan is saved for later, does not hold the lock during the plan.
 *
 * These are the stored statuses. A run that only waits for an agent is shown as `plan_queued` or `apply_queued`: it is stored with the
 * time since when, so that earlier versions of this service can read it.
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

/** The statuses of runs that wait only for an agent, with the status that is stored and the timestamp that marks them. */
export const queuedStatuses = {
  plan_queued: { stored: 'pending', since: 'plan-queued-at' },
  apply_queued: { stored: 'confirmed', since: 'apply-queued-at' },
} as const satisfies Record<string, { readonly stored: RunStatus; readonly since: string }>;

/**
 * The statuses of runs that ask run tasks or have their policies evaluated, with the status that is stored meanwhile and the timestamps between which they ask. After the stage
 * of the plan its end has its effect, and the apply waits for its own.
 */
export const stageStatuses = {
  // In front of the stage that it is a part of: the first that fits is shown.
  post_plan_awaiting_decision: {
    stored: 'planning',
    since: 'post-plan-awaiting-decision-at',
    until: 'post-plan-completed-at',
  },
  pre_plan_running: { stored: 'pending', since: 'pre-plan-running-at', until: 'pre-plan-completed-at' },
  post_plan_running: { stored: 'planning', since: 'post-plan-running-at', until: 'post-plan-completed-at' },
  pre_apply_running: { stored: 'confirmed', since: 'pre-apply-running-at', until: 'pre-apply-completed-at' },
} as const satisfies Record<string, { readonly stored: RunStatus; readonly since: string; readonly until: string }>;

export type StageStatus = keyof typeof stageStatuses;
export type ShownStatus = RunStatus | keyof typeof queuedStatuses | StageStatus;

interface StoredStatus {
  readonly status: RunStatus;
  readonly timestamps: Readonly<Record<string, string>>;
}

/** The status of a run that waits for a stage; undefined for others. */
export function stageStatus({ status, timestamps }: StoredStatus): StageStatus | undefined {
  for (const [name, { stored, since, until }] of Object.entries(stageStatuses))
    if (status === stored && timestamps[since] !== undefined && timestamps[until] === undefined)
      return name as StageStatus;
  return undefined;
}

/** The status that documents and messages show. */
export function shownStatus(run: StoredStatus): ShownStatus {
  const asking = stageStatus(run);
  if (asking !== undefined) return asking;
  for (const [name, { stored, since }] of Object.entries(queuedStatuses))
    if (run.status === stored && run.timestamps[since] !== undefined) return name as keyof typeof queuedStatuses;
  return run.status;
}

/** Statuses of finished runs. A saved plan may still be confirmed, but it does not block other runs. */
export const finalStatuses: readonly RunStatus[] = [
  'applied',
  'planned_and_finished',
  'planned_and_saved',
  'discarded',
  'canceled',
  'errored',
];

export const confirmable: readonly RunStatus[] = ['planned', 'planned_and_saved'];
const discardable: readonly RunStatus[] = ['pending', 'planned', 'planned_and_saved'];
/** A run whose failed policies may be overridden can be discarded instead. */
export const isDiscardable = (run: StoredStatus): boolean =>
  discardable.includes(run.status) || stageStatus(run) === 'post_plan_awaiting_decision';
/** Runs in progress end when their agent learns of the request; others end at once. */
export const cancelable: readonly RunStatus[] = ['pending', 'planning', 'confirmed', 'applying'];
export const atWork: readonly RunStatus[] = ['planning', 'applying'];

/** Whether a caller has asked the agent of a run to stop. */
export const isBeingCanceled = ({ timestamps }: Pick<StoredStatus, 'timestamps'>): boolean =>
  timestamps['cancel-requested-at'] !== undefined;

/** Groups of statuses for filters of lists. */
export const statusGroups: Readonly<Record<string, readonly RunStatus[]>> = {
  non_final: runStatuses.filter((status) => !finalStatuses.includes(status)),
  final: finalStatuses,
  discardable,
};

export const isFinal = (status: RunStatus): boolean => finalStatuses.includes(status);

/** The status after a plan. */
export function afterPlan(run: {
  readonly planOnly: boolean;
  readonly savePlan: boolean;
  readonly autoApply: boolean;
  /** Whether there is something to apply. */
  readonly applies: boolean;
}): RunStatus {
  if (run.planOnly || !run.applies) return 'planned_and_finished';
  if (run.savePlan) return 'planned_and_saved';
  return run.autoApply ? 'confirmed' : 'planned';
}
