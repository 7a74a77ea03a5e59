import { useEffect, useState } from 'preact/hooks';
import { auth } from '#client/operations/auth.ts';
import { textOf, textsOf } from '#client/wire/json.ts';
import { api } from '../../state/api.ts';
import { useRights } from '../../state/rights.ts';
import { useQuery } from '../../state/use-query.ts';
import type { Made } from './document/request.ts';
import type { Row } from './document/rows.ts';

/** How long after the last key a path is asked about. */
const settledMs = 300;

function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), settledMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

const capabilities: Readonly<Record<string, string>> = {
  GET: 'read',
  POST: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** Why the caller may not send what was typed; undefined where it may, and where only the server knows. */
export function useRefusal(row: Row, { request, isAddressed }: Made): string | undefined {
  const ofSecrets = useSecretsRefusal(row, { request, isAddressed });
  const ofWorkspaces = useWorkspacesRefusal(row);
  if (row.takesFile) return 'Its body is a file, which the page does not send. Use one of the lines.';
  if (row.isOpen) return undefined;
  return row.service === 'v1' ? ofSecrets : ofWorkspaces;
}

/** The policies decide by the path. */
function useSecretsRefusal(row: Row, { request, isAddressed }: Pick<Made, 'request' | 'isAddressed'>) {
  const path = useSettled(decodeURIComponent(request.path).replace(/^v1\//, ''));
  const isAsked = row.service === 'v1' && isAddressed;
  const rights = useRights([isAsked ? path : 'sys/capabilities-self']);
  if (!isAsked) return undefined;
  const isList = request.query?.['list'] === 'true';
  const capability = isList ? 'list' : (capabilities[row.method] ?? 'update');
  if (row.creates && capability === 'update' && rights.may('create', path)) return undefined;
  const refusal = rights.refusal(capability, path);
  return refusal ?? (row.needsSudo ? rights.refusal('sudo', path) : undefined);
}

/** Rights of that service come from its teams; a token without an entity has none at all. */
function useWorkspacesRefusal({ service, isOpen }: Row): string | undefined {
  const self = useQuery({
    key: ['self'],
    ask: (options) => api.call(auth.lookupSelf, {}, undefined, options),
    enabled: service === 'v2' && !isOpen,
  });
  const data = self.reply?.data;
  if (data === undefined || textsOf(data, 'policies').includes('root') || textOf(data, 'entity_id') !== '')
    return undefined;
  return 'Your token has no entity, so it is no user of the workspace service.';
}
