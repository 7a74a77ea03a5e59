import type { Secret } from '../core/secret.ts';
import type { NetworkBounds } from '../network/bounds.ts';
import type { ApiCaller, ApiRow } from '../path/jsonapi/row.ts';
import type { ClientConnection } from '../path/row.ts';
import { configurationVersionRows } from './configuration-versions/rows.ts';
import type { WorkspaceParts } from './contract.ts';
import { notificationRows } from './notifications/rows.ts';
import { runTriggerRows } from './run-triggers/rows.ts';
import { runRows } from './runs/rows.ts';
import { serviceRows, versions } from './service/rows.ts';
import { stateVersionRows } from './state-versions/rows.ts';
import { findCaller } from './tokens/find.ts';
import { variableSetRows } from './variable-sets/rows.ts';
import { setVariableRows } from './variable-sets/variables.ts';
import { variableRows } from './variables/rows.ts';
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
    rows: [
      ...serviceRows,
      ...configurationVersionRows(parts),
      ...notificationRows(parts),
      ...runRows(parts),
      ...runTriggerRows(parts),
      ...setVariableRows(parts),
      ...stateVersionRows(parts),
      ...variableRows(parts),
      ...variableSetRows(parts),
    ],
    headers: versions,
    authenticate: (token, from) => findCaller(parts, token, from),
    close: () => webhooks.close(),
  };
}
