import { silentLog } from '../../../lib/core/log.ts';
import { readBounds } from '../../../lib/network/bounds.ts';
import type { ApiRow } from '../../../lib/path/jsonapi/row.ts';
import { openWorkspaces } from '../../../lib/workspaces/index.ts';
import type { WorkspaceGround } from '../support/ground.ts';

/** All rows of the workspace service, as a description: they are called over HTTP. */
export const everyRow = ({ service }: WorkspaceGround): readonly ApiRow[] =>
  openWorkspaces({
    networkBounds: readBounds('none'),
    smtp: undefined,
    store: service.store,
    clock: { now: () => new Date() },
    log: silentLog,
    auditTrailDays: 14,
    gatekeeper: { authenticate: async () => 'invalid' as const },
  }).rows;

export const shown = ({ method, path }: ApiRow): string => `${method} ${path}`;

const root = '/api/v2';

/** The path below `/api/v2` with values in place of its parameters; of one that is not below, an absolute one. */
export function filled({ path }: ApiRow, valueFor: (parameter: string) => string, address = ''): string {
  const whole = path.replaceAll(/:(\w+)/g, (_all, parameter: string) => encodeURIComponent(valueFor(parameter)));
  return whole.startsWith(`${root}/`) ? whole.slice(root.length) : `${address}${whole}`;
}

export const parametersOf = ({ path }: ApiRow): readonly string[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
