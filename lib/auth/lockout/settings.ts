import type { Mount } from '../../path/contract/mount.ts';

/** When wrong credentials lock somebody out. */
export interface LockoutRule {
  /** Wrong credentials in a row; 0: nobody is locked out. */
  readonly threshold: number;
  /** How long, in seconds. */
  readonly seconds: number;
  /** After so many seconds without a failure the count begins again. */
  readonly resetSeconds: number;
}

/** The rule of a mount: what it is tuned to, and otherwise what the service is configured to. Undefined: there is none. */
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
