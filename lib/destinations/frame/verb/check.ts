import { type CheckedPermission, DestinationFailure, type Driver } from '../../contract.ts';
import { type Explain, verb } from './verb.ts';

/** A permission that the sync needs. */
export interface Permission {
  /** As the provider names it. */
  readonly name: string;
  /**
   * A call that reads and needs the permission, with the name of an object that does not exist. `'unknown'`, or a failure of kind
   * `permission`, means that it is missing. Absent: only writing would show whether it is granted.
   */
  readonly test?: (name: string, signal: AbortSignal) => Promise<unknown>;
}

/** `check` of a driver: runs the tests one by one, until one fails for another reason than a missing permission. */
export function checkOf(permissions: readonly Permission[], explain: Explain): Driver['check'] {
  return async (name, signal) => {
    const checked: CheckedPermission[] = [];
    let isOver = false;
    for (const permission of permissions) {
      const result: CheckedPermission = isOver
        ? untested(permission)
        : await checkOne(permission, name, signal, explain);
      checked.push(result);
      isOver ||= result.outcome === 'failed' && result.failure.kind !== 'permission';
    }
    return checked;
  };
}

const onlyByWriting = 'only writing would show whether it is granted';

const untested = ({ name, test }: Permission): CheckedPermission => ({
  permission: name,
  outcome: 'not_testable',
  reason: test === undefined ? onlyByWriting : 'an earlier call of the check failed',
});

async function checkOne(
  permission: Permission,
  probe: string,
  signal: AbortSignal,
  explain: Explain,
): Promise<CheckedPermission> {
  const { name, test } = permission;
  if (test === undefined) return untested(permission);
  try {
    await verb(`use the permission ${name}`, signal, explain, async () => {
      if ((await test(probe, signal)) === 'unknown') throw notGranted();
    });
    return { permission: name, outcome: 'passed' };
  } catch (failure) {
    if (!(failure instanceof DestinationFailure)) throw failure;
    return { permission: name, outcome: 'failed', failure };
  }
}

const notGranted = () => new DestinationFailure('permission', 'the system refused it to these credentials');
