/** What says when the resources of a workspace are destroyed. */
export interface Ephemeral {
  /** A time chosen for the workspace. It comes before the duration. */
  readonly at: Date | undefined;
  /** Time without activity, such as `14d` or `8h`. */
  readonly duration: string | null;
  readonly lastActivity: Date;
  readonly hasResources: boolean;
}

/** The scheduled time that reminders were counted for, and the last of them in hours before it. */
export interface Reminded {
  readonly destroyAt: Date | null;
  readonly hours: number | null;
}

/** What the sweep does with a workspace now, and when it looks at it again. */
export type Decision =
  | { readonly kind: 'destroy' }
  /** `hours`: the reminder to send; undefined sends none. */
  | {
      readonly kind: 'wait';
      readonly hours: number | undefined;
      readonly seen: Reminded;
      readonly lookAt: Date | null;
    };

const hourMs = 3_600_000;
/** Hours before the destroy run at which reminders are sent. */
const reminderHours = [24, 12] as const;

const durationMs = (duration: string): number =>
  Number.parseInt(duration, 10) * (duration.endsWith('d') ? 24 * hourMs : hourMs);

/** When the destroy run is queued; null while nothing is scheduled. */
export function destroyAt({ at, duration, lastActivity, hasResources }: Ephemeral): Date | null {
  if (at !== undefined) return at;
  return duration === null || !hasResources ? null : new Date(lastActivity.getTime() + durationMs(duration));
}

/** When a destruction that could not begin is tried again: after as long as without activity. A chosen time is not tried again. */
export const retryAt = ({ duration }: Pick<Ephemeral, 'duration'>, now: Date): Date | null =>
  duration === null ? null : new Date(now.getTime() + durationMs(duration));

/** A schedule that is seen late starts with the reminders that are still to come. */
export function decide(ephemeral: Ephemeral, before: Reminded, now: Date): Decision {
  const due = destroyAt(ephemeral);
  if (due === null) return { kind: 'wait', hours: undefined, seen: nothingSeen, lookAt: idleUntil(ephemeral, now) };
  if (due <= now) return { kind: 'destroy' };
  const isKnown = before.destroyAt?.getTime() === due.getTime();
  const passed = reminderHours.filter((hours) => due.getTime() - hours * hourMs <= now.getTime());
  const last = Math.min(...passed, Number.POSITIVE_INFINITY);
  const isNew = passed.length > 0 && last < (before.hours ?? Number.POSITIVE_INFINITY);
  const next = reminderHours.find((hours) => !passed.includes(hours));
  return {
    kind: 'wait',
    hours: isKnown && isNew ? last : undefined,
    seen: { destroyAt: due, hours: passed.length === 0 ? null : last },
    lookAt: next === undefined ? due : new Date(due.getTime() - next * hourMs),
  };
}

const nothingSeen: Reminded = { destroyAt: null, hours: null };

/** A workspace without resources may get some at any time, and then needs its first reminder. */
function idleUntil({ duration }: Ephemeral, now: Date): Date | null {
  if (duration === null) return null;
  const ms = durationMs(duration);
  return new Date(now.getTime() + Math.max(ms - 24 * hourMs, ms / 2));
}

/** The duration that applies: that of the workspace, or that of its project if it inherits it. */
export function activityDuration(
  settings: {
    readonly 'auto-destroy-activity-duration': string | null;
    readonly 'inherits-project-auto-destroy': boolean;
  },
  ofProject: string | null,
): { readonly duration: string | null; readonly inherits: boolean } {
  const own = settings['auto-destroy-activity-duration'];
  const inherits = ofProject !== null && own === null && settings['inherits-project-auto-destroy'];
  return { duration: inherits ? ofProject : own, inherits };
}
