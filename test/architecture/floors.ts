import type { SourceFile } from './scan.ts';

/**
 * The floors of a folder below `lib/`, from the ground up. A unit is a subfolder or a file of the folder. It may import units of
 * lower floors, and none of its own floor.
 */
export type Floors = Readonly<Record<string, readonly (readonly string[])[]>>;

export const floors: Floors = {
  auth: [
    ['cidr.ts', 'hcl'],
    ['policy'],
    ['contract.ts', 'password-policy', 'token'],
    ['identity', 'lease', 'wrapping'],
    ['lockout', 'mfa'],
    ['login'],
    ['methods'],
    ['gatekeeper.ts'],
  ],
  http: [['wire'], ['server'], ['session', 'v1', 'v2']],
  'http/v1': [
    ['request'],
    ['engines.ts'],
    ['envelope.ts', 'exchange.ts'],
    ['stage.ts'],
    ['parts.ts'],
    ['stages'],
    ['pipeline.ts'],
    ['service.ts'],
  ],
  queue: [['contract.ts', 'redis'], ['parts.ts'], ['gate', 'pending', 'wake'], ['ask', 'work'], ['open.ts']],
  sync: [
    ['model', 'template'],
    ['claim', 'drivers', 'marking'],
    ['records'],
    ['batches', 'reconcile', 'samples'],
    ['ask', 'drift', 'rules'],
    ['sweep'],
    ['rows'],
  ],
  notices: [
    ['events', 'receivers'],
    ['send', 'tell'],
    ['rows', 'sweep.ts'],
  ],
  workspaces: [['contract.ts', 'frame'], ['access'], ['resources'], ['index.ts', 'levels.ts', 'sweep.ts']],
  'workspaces/resources': [
    ['agents', 'opa'],
    [
      'agent-pools',
      'assessments',
      'audit-trail',
      'auto-destroy',
      'discovery',
      'oauth-clients',
      'policies',
      'policy-sets',
      'reserved-tag-keys',
      'run-triggers',
      'state-blobs',
      'tag-bindings',
      'tags',
      'variables',
      'workload-identity',
      'workspace-resources',
      'workspace-search',
      'workspace-settings',
    ],
    ['oauth-tokens', 'organizations', 'vcs-repositories', 'projects', 'state-versions', 'variable-sets'],
    ['state-version-files', 'state-version-outputs', 'users'],
    ['admin', 'teams'],
    [
      'authentication-tokens',
      'notification-configurations',
      'organization-memberships',
      'policy-evaluations',
      'run-tasks',
      'team-access',
    ],
    ['notification-deliveries'],
    ['run-lifecycle'],
    ['auto-destroy-runs', 'comments', 'configuration-versions', 'data-retention-policies', 'plans-and-applies'],
    ['task-results', 'workspace-includes'],
    ['workspaces'],
    [
      'assessment-runs',
      'commit-statuses',
      'remote-state-consumers',
      'runs',
      'ssh-keys',
      'vcs-ingresses',
      'workspace-lock',
    ],
    ['agent-jobs', 'policy-evaluator', 'vcs-webhooks'],
  ],
  mounts: [
    ['contract', 'record.ts'],
    ['insert.ts'],
    ['removal', 'move.ts', 'tune.ts'],
    ['namespaces'],
    ['copy.ts'],
    ['current.ts'],
    ['table.ts'],
  ],
  'engines/kv/v2': [
    ['rules'],
    ['fields.ts', 'config.ts', 'attribution.ts'],
    ['read'],
    ['write'],
    ['parts.ts'],
    ['versions', 'metadata', 'source.ts'],
    ['data.ts'],
    ['index.ts'],
  ],
};

/** Imports that do not lead to a lower floor, and units that have no floor, as texts. */
export function floorViolations(files: readonly SourceFile[], all: Floors = floors): readonly string[] {
  return Object.entries(all).flatMap(([folder, order]) => {
    const heights = new Map(order.flatMap((units, height) => units.map((unit) => [unit, height] as const)));
    const found = new Set<string>();
    for (const { from, to, path } of importsBetweenUnits(files, `lib/${folder}`)) {
      const [own, other] = [heights.get(from), heights.get(to)];
      if (own === undefined || other === undefined) continue;
      if (other >= own) found.add(`${path}: ${folder}/${from} may not import ${folder}/${to}`);
    }
    const present = unitsOf(files, `lib/${folder}`);
    return [
      ...found,
      ...[...present].filter((unit) => !heights.has(unit)).map((unit) => `${folder}/${unit} has no floor`),
      ...[...heights.keys()].filter((unit) => !present.has(unit)).map((unit) => `${folder}/${unit} does not exist`),
    ];
  });
}

/** Import cycles between the units of each folder below `lib/`, as texts `folder: a, b`. */
export function folderCycles(files: readonly SourceFile[]): readonly string[] {
  const folders = new Set(files.flatMap(({ path }) => (path.startsWith('lib/') ? foldersAbove(path) : [])));
  return [...folders].sort().flatMap((folder) => {
    const next = new Map<string, Set<string>>();
    for (const { from, to } of importsBetweenUnits(files, folder))
      next.set(from, (next.get(from) ?? new Set<string>()).add(to));
    const circling = [...next.keys()].filter((unit) => reachable(next, unit).has(unit));
    return circling.length === 0 ? [] : [`${folder}: ${circling.sort().join(', ')}`];
  });
}

function importsBetweenUnits(files: readonly SourceFile[], folder: string) {
  return files.flatMap(({ path, imports }) => {
    const from = unitOf(path, folder);
    if (from === undefined) return [];
    return imports.flatMap((one) => {
      const to = one.kind === 'file' ? unitOf(one.path, folder) : undefined;
      return to === undefined || to === from ? [] : [{ from, to, path }];
    });
  });
}

const unitsOf = (files: readonly SourceFile[], folder: string): ReadonlySet<string> =>
  new Set(files.flatMap(({ path }) => unitOf(path, folder) ?? []));

const unitOf = (path: string, folder: string): string | undefined =>
  path.startsWith(`${folder}/`) ? path.slice(folder.length + 1).split('/')[0] : undefined;

const foldersAbove = (path: string): readonly string[] =>
  path.split('/').flatMap((_, index, parts) => (index >= 2 ? [parts.slice(0, index).join('/')] : []));

function reachable(next: ReadonlyMap<string, ReadonlySet<string>>, start: string): ReadonlySet<string> {
  const found = new Set<string>();
  const waiting = [...(next.get(start) ?? [])];
  for (let unit = waiting.pop(); unit !== undefined; unit = waiting.pop()) {
    if (found.has(unit)) continue;
    found.add(unit);
    waiting.push(...(next.get(unit) ?? []));
  }
  return found;
}
