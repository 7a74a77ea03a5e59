import type { Secret } from '../core/secret.ts';
import type { NetworkBounds } from '../network/bounds.ts';
import type { ApiCaller, ApiRow } from '../path/jsonapi/row.ts';
import type { ClientConnection } from '../path/row.ts';
import type { WorkspaceParts } from './contract.ts';
import { allRows } from './rows.ts';
import { versions } from './service/rows.ts';
import { findCaller } from './tokens/find.ts';
import { openWebhooks } from './webhooks.ts';

/** The workspace service: its rows, and who calls them. */
export interface Workspaces {
  readonly rows: readonly ApiRow[];
  /** Of every answer. */
  readonly headers: Readonly<Record<string, string>>;
  authenticate(token: Secret, from: ClientConnection): Promise<ApiCaller | undefined>;
  close(): Promise<void>;
}

export interface OpenParts extends Omit<WorkspaceParts, 'webhooks'> {
  /** What the operator lets the server call. */
  readonly networkBounds: NetworkBounds;
}

export function openWorkspaces({ networkBounds, ...others }: OpenParts): Workspaces {
  const webhooks = openWebhooks(networkBounds);
  const parts = { ...others, webhooks };
  return {
    rows: allRows(parts),
    headers: versions,
    authenticate: (token, from) => findCaller(parts, token, from),
    close: () => webhooks.close(),
  };
}
