import { z } from 'zod';
import { sizeRule } from '#path/fields.ts';
import { invalidAttribute } from '#path/jsonapi/error.ts';
import { flag, notBlank, oneOf, text } from '#path/jsonapi/fields.ts';

/** The points of a run at which tasks are asked. */
export const taskStages = ['pre_plan', 'post_plan', 'pre_apply', 'post_apply'] as const;
export type TaskStage = (typeof taskStages)[number];

/** Whether a task that does not pass ends the run. */
export const enforcementLevels = ['advisory', 'mandatory'] as const;

/** Attributes of a run task in a request. */
export const taskFields = {
  name: text(255)
    .min(1, notBlank)
    .regex(/^[\w-]*$/, 'can only include letters, numbers, - and _'),
  url: text(2_048).min(1, notBlank),
  category: oneOf(['task']),
  description: text(1_000).nullable(),
  'hmac-key': text(4_096).nullable(),
  enabled: flag().nullable(),
  'global-configuration': z
    .looseObject({
      enabled: z.literal(false, 'cannot be enabled: tasks are added to workspaces one by one').optional(),
    })
    .nullable(),
};

/** Attributes of a task of a workspace in a request. `stage` is the former name of `stages`. */
export const workspaceTaskFields = {
  'enforcement-level': oneOf(enforcementLevels),
  stage: oneOf(taskStages),
  stages: z
    .array(oneOf(taskStages), 'must be a list')
    .min(1, sizeRule('must have at least 1 entry'))
    .max(taskStages.length, sizeRule(`may have at most ${taskStages.length} entries`)),
};

/** @throws ApiError 422 */
export function mustBeWebhook(url: string): void {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    throw invalidAttribute('url', 'Url must be an http or https address');
  const { username, password } = new URL(url);
  if (username !== '' || password !== '') throw invalidAttribute('url', 'Url must not hold a user or a password');
}
