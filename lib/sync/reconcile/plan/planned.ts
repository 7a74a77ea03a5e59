import { z } from 'zod';

/** What a sync would do with an object, in the order in which tables show it. */
export const plannedActions = ['create', 'update', 'delete', 'refuse', 'leave'] as const;

/**
 * Why. *create*: `new`, or `missing` (it was written, and is gone). *update*: `changed` (value or tags differ from the last push),
 * `changed-there` (another client wrote it), `settings` (a key or replicas differ), `tags` (they differ there), `adopted` (another client's
 * object is taken over). *delete*: `not-wanted`. *refuse*: `foreign` (another client's object has the name), `name-taken` (another secret
 * has it), `refused` (with `kind` and `message`). *leave*: `in-line`, `already-gone`, `foreign` (it is not ours to delete).
 */
export const plannedReasons = [
  'new',
  'missing',
  'changed',
  'changed-there',
  'settings',
  'tags',
  'adopted',
  'not-wanted',
  'foreign',
  'name-taken',
  'refused',
  'in-line',
  'already-gone',
] as const;

export const plannedShape = z.object({
  id: z.string(),
  mount: z.string(),
  secret_name: z.string(),
  sub_key: z.string(),
  external_name: z.string(),
  action: z.enum(plannedActions),
  reason: z.enum(plannedReasons),
  /** Of a refusal. */
  kind: z.string().optional(),
  message: z.string().optional(),
  /** False: judged by the record alone, because the object could not be looked at. */
  looked: z.boolean(),
  /** Of the association. A worker of an earlier release tells neither this nor the version. */
  generation: z.number().optional(),
  /** What the look found under the name; null: nothing, or no version. */
  version: z.string().nullable().optional(),
});

export type Planned = z.infer<typeof plannedShape>;
export type Judgement = Pick<Planned, 'action' | 'reason'>;
