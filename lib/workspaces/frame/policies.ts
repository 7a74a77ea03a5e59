import { invalidAttribute, unprocessable } from '#path/jsonapi/error.ts';
import { oneOf, text } from '#path/jsonapi/fields.ts';

/** Policies and policy sets of one organization: an evaluation may read all of them. */
export const policiesMax = 200;
export const policySetsMax = 100;

/** Whether a policy that finds something ends the run. */
export const policyLevels = ['advisory', 'mandatory'] as const;
export type PolicyLevel = (typeof policyLevels)[number];

/** Names of policies and of policy sets. */
export const policyName = () =>
  text(255).regex(/^[\w-]+$/, "can only include letters, numbers, - and _, and can't be blank");

/** The languages of policies that clients of the API family know. */
export const policyKind = () => oneOf(['opa', 'sentinel']);
type Kind = 'opa' | 'sentinel' | undefined;

/** @throws ApiError 422 for `sentinel` */
export function mustNotBeSentinel(kind: Kind): void {
  if (kind === 'sentinel')
    throw invalidAttribute(
      'kind',
      'Kind must be opa: Sentinel is not evaluated here, and a policy that nothing evaluates would look like protection',
    );
}

/** Without a kind, clients of the API family mean `sentinel`. @throws ApiError 422 unless it is `opa` and this service has an `opa` */
export function mustBeEvaluated(opaProgram: string | undefined, kind: Kind): void {
  mustNotBeSentinel(kind ?? 'sentinel');
  if (opaProgram === undefined)
    throw unprocessable(
      'This service does not evaluate policies (entitlement policy-enforcement). Its operator names an opa program in KEYFERRY_OPA; a mandatory run task at the stage post_plan can check plans too.',
    );
}
