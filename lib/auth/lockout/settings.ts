import type { Mount } from '#path/contract/mount.ts';

/** After `threshold` consecutive failures, a user is locked out for `seconds`. */
export interface LockoutRule {
  /** Number of consecutive failures; 0 disables lockouts. */
  readonly threshold: number;
  /** Duration of a lockout. */
  readonly seconds: number;
  /** Time without a failure after which the count starts over. */
  readonly resetSeconds: number;
}

/** The rule of a mount: its own settings, and those of the service where it has none. Undefined when lockouts are disabled. */
export function ruleOf({ config }: Mount, configured: LockoutRule): LockoutRule | undefined {
  const tuned = config['user_lockout_config'];
  const member = (name: string): unknown =>
    typeof tuned === 'object' && tuned !== null ? Reflect.get(tuned, name) : undefined;
  const number = (name: string, usual: number): number => {
    const value = member(name);
    return typeof value === 'number' && value > 0 ? value : usual;
  };
  if (member('lockout_disable') === true) return undefined;
  const rule = {
    threshold: number('lockout_threshold', configured.threshold),
    seconds: number('lockout_duration', configured.seconds),
    resetSeconds: number('lockout_counter_reset_duration', configured.resetSeconds),
  };
  return rule.threshold > 0 ? rule : undefined;
}
