import { z } from 'zod';
import { bool, duration, integer } from '../../../../path/fields.ts';

const secondsMax = 2_147_483_647;
const attemptsMax = 1_000_000;

const seconds = () => duration().pipe(z.int().max(secondsMax)).optional();

const members = z.object({
  lockout_threshold: integer().pipe(z.int().min(0).max(attemptsMax)).optional(),
  lockout_duration: seconds(),
  lockout_counter_reset_duration: seconds(),
  lockout_disable: bool().optional(),
});

/** When wrong credentials lock a user out. Durations are in seconds; 0 and absent: what the service is configured to. */
export type LockoutSettings = z.output<typeof members>;

/** Some clients write `user_` in front of the names. */
export const lockout = z.preprocess(withoutUser, members);

function withoutUser(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const given = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.keys(members.shape).map((name) => [name, given[name] ?? given[`user_${name}`] ?? undefined]),
  );
}
