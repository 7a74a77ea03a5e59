import { pageInfo } from '#path/jsonapi/page.ts';
import type { ApiCaller, DocumentReply } from '#path/jsonapi/row.ts';
import type { Store } from '#store/store.ts';
import { organizationAccessByName } from '../../access/standing.ts';

/** The only feature set. Every organization has it; client test suites expect to choose from a list. */
const everything = 'fs-everything';

export const listFeatureSets = (): DocumentReply => ({
  data: [
    {
      id: everything,
      type: 'feature-sets',
      attributes: { name: 'Everything', identifier: 'business', 'is-current': true, 'is-free-tier': false, plan: null },
    },
  ],
  page: pageInfo({ number: 1, size: 20, offset: 0 }, 1),
});

/** The subscription of an organization. It has all features, whichever were requested. @throws ApiError 404 */
export async function showSubscription(
  store: Pick<Store, 'db'>,
  caller: ApiCaller,
  organizationName: string,
): Promise<DocumentReply> {
  const { organization } = await organizationAccessByName(store, caller, organizationName);
  return {
    data: {
      id: `sub-${organization.id.slice('org-'.length)}`,
      type: 'subscriptions',
      attributes: { 'is-active': true, 'runs-ceiling': null, 'agents-ceiling': null, 'end-at': null },
      relationships: {
        organization: { data: { id: organization.name, type: 'organizations' } },
        'feature-set': { data: { id: everything, type: 'feature-sets' } },
      },
    },
  };
}
