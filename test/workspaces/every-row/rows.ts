import { silentLog } from '#core/log/log.ts';
import { readBounds } from '#network/bounds.ts';
import type { ApiRow } from '#path/jsonapi/row.ts';
import { openWorkspaces } from '#workspaces/index.ts';
import type { WorkspaceGround } from '../support/ground.ts';

/** All rows of the workspace service. Tests call them over HTTP. */
export const everyRow = ({ service }: WorkspaceGround): readonly ApiRow[] =>
  openWorkspaces({
    networkBounds: readBounds('none'),
    git: { program: 'git', bounds: readBounds('none'), caFile: undefined, knownHostsFile: undefined },
    publicUrl: undefined,
    opaProgram: undefined,
    smtp: undefined,
    store: service.store,
    clock: { now: () => new Date() },
    log: silentLog,
    workloadTokens: { sign: async () => '', published: async () => ({ keys: [] }) },
    auditTrailDays: 14,
    runs: { perOrganizationMax: 50, syncWaitMs: 0 },
    waitMsMax: 0,
    runBegan() {},
    pendingSyncs: async () => [],
    gatekeeper: { authenticate: async () => 'invalid' as const },
  }).rows;

export const shown = ({ method, path }: ApiRow): string => `${method} ${path}`;

const root = '/api/v2';

/** The path of a row with values for its parameters: relative to `/api/v2`, or absolute for paths outside it. */
export function filled({ path }: ApiRow, valueFor: (parameter: string) => string, address = ''): string {
  const whole = path.replaceAll(/:(\w+)/g, (_all, parameter: string) => encodeURIComponent(valueFor(parameter)));
  return whole.startsWith(`${root}/`) ? whole.slice(root.length) : `${address}${whole}`;
}

export const parametersOf = ({ path }: ApiRow): readonly string[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
