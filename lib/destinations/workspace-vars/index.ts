import type { DestinationDefinition } from '../contract.ts';
import { windowedRate } from '../frame/rate.ts';
import { apiBase, fields } from './fields/fields.ts';
import { names } from './names.ts';
import { relations, validate } from './validate.ts';

export type { Connection } from './fields/fields.ts';

/**
 * Variables of one workspace, or of one variable set, at a Terraform-compatible host. The host has no tags; our mark is in a
 * variable's description. The next run sees a change.
 */
export const definition = {
  type: 'workspace-vars',
  alias: 'hcp-terraform',
  title: 'Workspace variables',
  links: [
    { title: 'Variables', url: 'https://developer.hashicorp.com/terraform/cloud-docs/workspaces/variables' },
    { title: 'Rate limits', url: 'https://developer.hashicorp.com/terraform/cloud-docs/api-docs#rate-limiting' },
  ],
  fields,
  relations,
  validate,
  granularity: 'secret-key',
  templates: {
    'secret-path': 'KEYFERRY_{{ .MountAccessor | uppercase }}_{{ .SecretPath | uppercase }}',
    'secret-key':
      'KEYFERRY_{{ .MountAccessor | uppercase }}_{{ .SecretPath | uppercase }}_{{ .SecretKey | uppercase }}',
  },
  names,
  listing: 'versions',
  isSameObject: (recorded, found) => idOf(recorded) === idOf(found),
  // 256 KB for a value, 512 characters for a description:
  // https://developer.hashicorp.com/terraform/cloud-docs/workspaces/variables#variable-values-and-format
  valueBytesMax: 256 * 1024,
  // 30 requests a second for all tokens of a user together; self-hosted servers can be set to 30 or more:
  // https://developer.hashicorp.com/terraform/cloud-docs/api-docs#rate-limiting
  rate: windowedRate(30, 1),
  rateAccount: (connection) => [connection.token, apiBase(connection)],
  // As many as 30 calls a second are when each takes a quarter of a second.
  concurrencyMax: 8,
} satisfies DestinationDefinition<typeof fields>;

/** A version is `<id of the variable>:<its version>`. */
const idOf = (version: string): string => version.slice(0, version.lastIndexOf(':'));
