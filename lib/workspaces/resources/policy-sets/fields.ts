import { z } from 'zod';
import type { Attributes } from '#path/jsonapi/body.ts';
import { flag, text } from '#path/jsonapi/fields.ts';
import { document } from '#path/jsonapi/input.ts';
import { policyKind, policyName } from '../../frame/policies.ts';

const absent = (problem: string) => z.null(problem).or(z.literal('', problem));

/** Attributes of a policy set in a request. */
const setFields = {
  name: policyName(),
  description: text(1_000).nullable(),
  kind: policyKind(),
  global: flag().nullable(),
  overridable: flag().nullable(),
  'vcs-repo': z.null('cannot be set: sets are made of policies of the organization'),
  'policies-path': absent('cannot be set: sets are made of policies of the organization'),
  'agent-enabled': z.literal(true, 'must be true: OPA policies are evaluated in a task stage').nullable(),
  'policy-tool-version': z.literal(['', 'latest'], 'must be latest: the operator names the opa program').nullable(),
};

export type SentSet = Attributes<typeof setFields>;

export const setBody = document({
  type: 'policy-sets',
  attributes: setFields,
  relationships: {
    policies: ['policies'],
    workspaces: ['workspaces'],
    projects: ['projects'],
    'workspace-exclusions': ['workspaces'],
  } as const,
});
