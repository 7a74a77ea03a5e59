import { unprocessable } from '#path/jsonapi/error.ts';
import { document } from '#path/jsonapi/input.ts';
import type { ApiRow } from '#path/jsonapi/row.ts';
import { operation } from '../../access/needs/operation.ts';

/** Policies are not evaluated here. A policy set that nothing reads would look like protection, so it is refused. */
export const policySetRows: readonly ApiRow[] = [
  operation({
    method: 'POST',
    path: '/api/v2/organizations/:organization_name/policy-sets',
    summary: 'Refuse to create a policy set: this service does not evaluate policies',
    needs: { organization: 'manage-policies' },
    body: document({ type: 'policy-sets' }),
    replies: { 422: 'This service does not evaluate policies' },
    async run() {
      throw unprocessable(
        'This service does not evaluate policies (entitlement policy-enforcement). A mandatory run task at the stage post_plan can check plans.',
      );
    },
  }),
];
