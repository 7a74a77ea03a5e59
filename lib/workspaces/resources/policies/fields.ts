import { z } from 'zod';
import { sizeRule } from '#path/fields.ts';
import type { Attributes } from '#path/jsonapi/body.ts';
import { oneOf, text } from '#path/jsonapi/fields.ts';
import { type PolicyLevel, policyKind, policyLevels, policyName } from '../../frame/policies.ts';

/** A reference to a rule, such as `data.terraform.deny`. Anything else would be a program of its own. */
const reference = /^(?:data\.)?[A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\["[\w/ .-]+"\])*$/;

/** Attributes of a policy in a request. `enforce` is the former name of `enforcement-level`. */
export const policyFields = {
  name: policyName(),
  description: text(1_000).nullable(),
  kind: policyKind(),
  query: text(512).regex(reference, 'must name a rule, such as data.terraform.deny'),
  'enforcement-level': oneOf(policyLevels),
  enforce: z
    .array(z.looseObject({ mode: oneOf(policyLevels).optional() }), 'must be a list')
    .max(1, sizeRule('may have at most 1 entry'))
    .nullable(),
};

export type SentPolicy = Attributes<typeof policyFields>;

/** The level that a request asks for; undefined without one. */
export const levelIn = ({ 'enforcement-level': level, enforce }: SentPolicy): PolicyLevel | undefined =>
  level ?? enforce?.[0]?.mode;

/** The rule that a query names, with its root. */
export const ruleOf = (query: string): string => (query.startsWith('data.') ? query : `data.${query}`);
