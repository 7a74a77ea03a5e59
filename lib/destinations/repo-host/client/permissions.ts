// Beyond the usual files: a check makes the requests for the key and the access of a put, which are in this folder.
import type { Permission } from '../../frame/verb/check.ts';
import type { Connection } from '../fields/fields.ts';
import type { Location } from '../fields/location.ts';
import { fetchAccess } from './access.ts';
import type { Client } from './client.ts';
import { fetchPublicKey } from './public-key.ts';

/** What a fine-grained token or an app has to be granted; the host shows the right to write only when something is written. */
export function permissionsOf(client: Client, connection: Connection, location: Location): readonly Permission[] {
  const isSelected =
    connection.secrets_location === 'organization' && connection.organization_visibility === 'selected';
  const { scope, names } = granted(connection);
  return [
    {
      name: `${scope} permission ${names.map((name) => `"${name}: read"`).join(' and ')}`,
      test: (_name, signal) => fetchPublicKey(client, location, signal),
    },
    ...(isSelected
      ? [
          {
            name: 'repository permission "Metadata: read"',
            test: (_name: string, signal: AbortSignal) => fetchAccess(client, connection, signal),
          },
        ]
      : []),
    ...names.map((name) => ({ name: `${scope} permission "${name}: write"` })),
  ];
}

function granted({ secrets_location, environment_name }: Connection) {
  if (secrets_location === 'organization') return { scope: 'organization', names: ['Secrets'] };
  return { scope: 'repository', names: environment_name === undefined ? ['Secrets'] : ['Secrets', 'Environments'] };
}
