import { apiDocument } from '#path/jsonapi/openapi.ts';
import type { ApiRow } from '#path/jsonapi/row.ts';
import { isForbidden } from '../../access/needs/needs.ts';
import { operation } from '../../access/needs/operation.ts';

/** The first requests of clients: where the service is, and which version it has. */
export const serviceRows: readonly ApiRow[] = [
  operation({
    method: 'GET',
    path: '/.well-known/terraform.json',
    summary: 'Discover the services of this host',
    needs: { open: 'everyone' },
    unrecorded: true,
    replies: { 200: { mediaType: 'application/json' } },
    run: async () => ({ contentType: 'application/json', bytes: JSON.stringify(services) }),
  }),
  operation({
    method: 'GET',
    path: '/api/v2/ping',
    summary: 'Check that the service responds, and read its version',
    needs: { open: 'everyone' },
    unrecorded: true,
    replies: { 204: null },
    run: async () => undefined,
  }),
  operation({
    method: 'GET',
    path: '/api/meta/ip-ranges',
    summary: 'List the address ranges of the service',
    needs: { open: 'everyone' },
    replies: { 200: { mediaType: 'application/json' } },
    run: async () => ({ contentType: 'application/json', bytes: JSON.stringify(ranges) }),
  }),
];

/** The OpenAPI document of all rows, this one included. It is the same for every caller and holds no data, so it needs no token. */
export function documentRow(allRows: () => readonly ApiRow[]): ApiRow {
  let text: string | undefined;
  return operation({
    method: 'GET',
    path: '/api/v2/openapi.json',
    summary: 'Read the OpenAPI document of the workspace service',
    needs: { open: 'everyone' },
    replies: { 200: { mediaType: 'application/json' } },
    run: async () => {
      text ??= JSON.stringify(apiDocument(allRows(), isForbidden));
      return { contentType: 'application/json', bytes: text };
    },
  });
}

/** Addresses are relative to the document. */
const services = {
  'modules.v1': '/api/registry/v1/modules/',
  'state.v2': '/api/v2/',
  'tfe.v2': '/api/v2/',
  'tfe.v2.1': '/api/v2/',
  'tfe.v2.2': '/api/v2/',
};

/** Empty, since the operator's network determines the addresses of incoming and outgoing connections. */
const ranges = { api: [], notifications: [], sentinel: [], vcs: [] };

/** Headers of every reply. Clients know two names of applications and disable features for any other name. */
export const versions = {
  'tfp-api-version': '2.6',
  'tfp-appname': 'Terraform Enterprise',
  'x-tfe-version': 'v202505-1',
};
