import { z } from 'zod';
import { flag, notBlank, oneOf, text, texts, time } from '#path/jsonapi/fields.ts';
import { overwritesMessage } from '../../frame/overwrites.ts';
import { isKnownVersion } from './engine-version.ts';
import { executionModes } from './execution.ts';
import { dashed, vcsRepoField } from './vcs-repo.ts';

const nameCharactersMax = 90;
const globs = () => texts(100, 1_024);

const name = text(nameCharactersMax)
  .min(1, notBlank)
  .regex(/^[A-Za-z0-9_-]*$/, 'can only include letters, numbers, -, and _');

const duration = text(16).regex(
  /^(?!0+[dh]$)\d{1,4}[dh]$/,
  "has an incorrect format, we expect up to 4 numeric digits and 1 unit ('d' or 'h')",
);

const overwrites = z.preprocess(
  dashed,
  z.strictObject(
    { 'execution-mode': flag().optional(), 'agent-pool': flag().optional() },
    { error: overwritesMessage('execution-mode and agent-pool') },
  ),
);

/** Attributes of a workspace that can be updated. An empty string clears a nullable attribute. */
export const updateFields = {
  name,
  'agent-pool-id': text(64).nullable(),
  'allow-destroy-plan': flag(),
  'assessments-enabled': flag(),
  'auto-apply': flag(),
  'auto-apply-run-trigger': flag(),
  'auto-destroy-activity-duration': z
    .union([z.literal('').transform(() => null), duration], {
      error: () => "has an incorrect format, we expect up to 4 numeric digits and 1 unit ('d' or 'h')",
    })
    .nullable(),
  'auto-destroy-at': time().nullable(),
  description: text(4_096).nullable(),
  'engine-version': text(64).refine(isKnownVersion, 'is not a known version, "latest" or a constraint that one meets'),
  'execution-mode': oneOf(executionModes),
  'file-triggers-enabled': flag(),
  'global-remote-state': flag(),
  'inherits-project-auto-destroy': flag(),
  operations: flag(),
  'project-remote-state': flag(),
  'queue-all-runs': flag(),
  'setting-overwrites': overwrites.nullable(),
  'speculative-enabled': flag(),
  'structured-run-output-enabled': flag(),
  'trigger-patterns': globs().nullable(),
  'trigger-prefixes': globs().nullable(),
  'vcs-repo': vcsRepoField,
  'working-directory': text(1_024)
    .refine((path) => !path.split('/').includes('..'), 'must be below the root of the repository')
    .nullable(),
};

/** Attributes of a new workspace. */
export const createFields = {
  ...updateFields,
  'migration-environment': text(512).nullable(),
  'source-name': text(512).nullable(),
  'source-url': text(2_048)
    .refine((url) => url === '' || /^https?:\/\//.test(url), 'must be an http(s) URL')
    .nullable(),
};

type Output<S extends Readonly<Record<string, z.ZodType>>> = { readonly [K in keyof S]?: z.output<S[K]> };
export type SentWorkspace = Output<typeof createFields>;
