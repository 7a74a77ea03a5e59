import { dataOf, relatedOne } from '../../../../path/jsonapi/body.ts';
import { told } from '../../../../path/jsonapi/page.ts';
import type { ApiCall, DocumentReply } from '../../../../path/jsonapi/row.ts';
import { standingIn } from '../../../access/standing.ts';
import type { WorkspaceParts } from '../../../contract.ts';

/** There is one set of features, which every organization has; test suites of clients choose among several. */
const everything = 'fs-everything';

export const listFeatureSets = (): DocumentReply => ({
  data: [
    {
      ...{ id: everything, type: 'feature-sets' },
      attributes: { name: 'Everything', identifier: 'business', 'is-current': true, 'is-free-tier': false, plan: null },
    },
  ],
  page: told({ number: 1, size: 20, offset: 0 }, 1),
});

/** Says what the organization has, whatever was asked for. */
export async function showSubscription({ store }: WorkspaceParts, call: ApiCall): Promise<DocumentReply> {
  const { organization } = await standingIn(store, call.caller, call.parameters['organization_name'] ?? '');
  relatedOne(dataOf(call), 'feature-set');
  return {
    data: {
      ...{ id: `sub-${organization.id.slice('org-'.length)}`, type: 'subscriptions' },
      attributes: { 'is-active': true, 'runs-ceiling': null, 'agents-ceiling': null, 'end-at': null },
      relationships: {
        organization: { data: { id: organization.name, type: 'organizations' } },
        'feature-set': { data: { id: everything, type: 'feature-sets' } },
      },
    },
  };
}
