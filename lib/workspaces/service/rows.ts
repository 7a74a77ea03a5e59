import type { ApiRow } from '../../path/jsonapi/row.ts';

/** What clients ask before anything else: where the service is, and whether it is one that they know. */
export const serviceRows: readonly ApiRow[] = [
  {
    method: 'GET',
    path: '/.well-known/terraform.json',
    summary: 'Where the services of this host are',
    open: true,
    unrecorded: true,
    run: async () => ({ contentType: 'application/json', bytes: JSON.stringify(services) }),
  },
  {
    method: 'GET',
    path: '/api/v2/ping',
    summary: 'Whether the service answers, and which version it speaks',
    open: true,
    unrecorded: true,
    run: async () => undefined,
  },
  {
    method: 'GET',
    path: '/api/meta/ip-ranges',
    summary: 'Address ranges of the service that clients may want to allow',
    open: true,
    run: async () => ({ contentType: 'application/json', bytes: JSON.stringify(ranges) }),
  },
];

/** Addresses are relative to the document (reference, workspaces 2). */
const services = {
  'modules.v1': '/api/registry/v1/modules/',
  'state.v2': '/api/v2/',
  'tfe.v2': '/api/v2/',
  'tfe.v2.1': '/api/v2/',
  'tfe.v2.2': '/api/v2/',
};

/** The service does not know from which addresses it is reached and calls out: an operator's network decides that. */
const ranges = { api: [], notifications: [], sentinel: [], vcs: [] };

/** Stand on every answer. Clients know two names of applications; with any other they leave features out. */
export const versions = { 'tfp-api-version': '2.6', 'tfp-appname': 'Terraform Enterprise', 'x-tfe-version': '1.0.0' };
