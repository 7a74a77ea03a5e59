import type { SourceFile } from './scan.ts';

/** The modules of `lib/` and what each may import in addition to itself. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  core: [],
  path: ['core'],
  store: ['core'],
  queue: ['core'],
  network: ['core'],
  telemetry: ['core'],
  audit: ['core', 'path', 'store', 'network'],
  auth: ['core', 'path', 'store', 'network'],
  mounts: ['core', 'path', 'store'],
  quotas: ['core', 'path', 'store'],
  engines: ['core', 'path', 'store', 'network'],
  system: ['core', 'path', 'store', 'network', 'auth', 'mounts', 'quotas'],
  destinations: ['core', 'path', 'store', 'network'],
  'key-services': ['core', 'store', 'network'],
  workspaces: ['core', 'path', 'store', 'network', 'auth'],
  sync: ['core', 'path', 'store', 'queue', 'network', 'destinations'],
  notices: ['core', 'path', 'store', 'queue', 'network', 'destinations', 'sync'],
  http: ['core', 'path', 'auth', 'audit', 'mounts', 'quotas'],
  client: ['core'],
  agent: ['core', 'network'],
  cli: ['client', 'core'],
  ui: ['client'],
};

/** Files that list the leaves of their module. They may import only the index of a leaf. */
const lists = [
  'lib/destinations/index.ts',
  'lib/destinations/load.ts',
  'lib/engines/index.ts',
  'lib/auth/methods/index.ts',
];

/**
 * Packages that only some folders may use, so that a change of the package affects only these folders. The facts of a destination declare
 * the packages that only it uses. Tests may use any package.
 */
const packageFolders: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^bullmq$/, ['lib/queue/']],
  [/^(preact|preact-iso|@preact\/.+|@tanstack\/.+)$/, ['lib/ui/']],
  [/^esbuild$/, ['infra/']],
  [/^commander$/, ['lib/cli/']],
  [/^pg$/, ['lib/store/', 'infra/local/']],
  [/^pg-copy-streams$/, ['lib/store/']],
  // Modules that receive the handle of the store write their queries with it.
  [
    /^kysely$/,
    [
      'lib/store/',
      'lib/audit/',
      'lib/auth/',
      'lib/engines/',
      'lib/mounts/',
      'lib/quotas/',
      'lib/system/',
      'lib/sync/',
      'lib/notices/',
      'lib/workspaces/',
      'lib/app/',
    ],
  ],
  [/^fastify$/, ['lib/http/']],
  [/^(prom-client|@opentelemetry\/.+)$/, ['lib/telemetry/']],
  [/^@aws-sdk\/client-sqs$/, ['lib/app/']],
  [/^(@aws-sdk\/credential-provider-node|@smithy\/signature-v4)$/, ['lib/key-services/cloud-a-kms/']],
  [/^@azure\/identity$/, ['lib/key-services/cloud-b-keys/']],
  [/^google-auth-library$/, ['lib/key-services/cloud-c-kms/']],
];

/** The packages of each destination type, from its facts. */
export type PackagesByType = ReadonlyMap<string, readonly string[]>;

/** Violations of the table of imports, as texts `from → to: why`. */
export function importViolations(files: readonly SourceFile[], brought: PackagesByType): readonly string[] {
  return files.flatMap(({ path, imports }) =>
    imports.flatMap((one) => {
      const [to, why] =
        one.kind === 'file'
          ? [one.path, fileRefusal(path, one.path)]
          : one.kind === 'package'
            ? [one.name, packageRefusal(path, one.name, brought)]
            : ['a computed path', computedRefusal(path)];
      return why === undefined ? [] : [`${path} → ${to}: ${why}`];
    }),
  );
}

function fileRefusal(from: string, to: string): string | undefined {
  if (isFree(from)) return undefined;
  if (from.startsWith('functions/')) return functionRefusal(from, to);
  const module = moduleOf(to);
  if (module === undefined) return 'lib imports nothing from outside of lib';
  if (isRoot(from)) return undefined;
  if (isRoot(to)) return 'no file in lib may import the composition root';
  const own = moduleOf(from) ?? '';
  if (module !== own && mayImport[own]?.includes(module) !== true) return `${own} may not import ${module}`;
  return leafRefusal(from, to);
}

function functionRefusal(from: string, to: string): string | undefined {
  if (to === 'lib/app.ts') return undefined;
  const type = /^functions\/sync-(.+)\.ts$/.exec(from)?.[1];
  if (type !== undefined && to.startsWith(`lib/destinations/${type}/`)) return undefined;
  return 'a function imports lib/app.ts, and a worker its own destination folder';
}

function leafRefusal(from: string, to: string): string | undefined {
  const leaf = leafOf(to);
  if (leaf === undefined || leaf === leafOf(from)) return undefined;
  if (leafOf(from) !== undefined) return 'a leaf does not import its neighbour';
  if (!lists.includes(from)) return 'leaves are found by the list of their module';
  return to === `${leaf}/index.ts` ? undefined : 'a list takes the index of a leaf only';
}

function packageRefusal(from: string, name: string, brought: PackagesByType): string | undefined {
  // The baselines of the benchmark use the packages directly.
  if (name.startsWith('node:') || /^(test|infra\/bench)\//.test(from)) return undefined;
  const types = [...brought].flatMap(([type, packages]) => (packages.includes(name) ? [type] : []));
  const folders = [
    ...(packageFolders.find(([pattern]) => pattern.test(name))?.[1] ?? []),
    ...types.map((type) => `lib/destinations/${type}/`),
  ];
  if (folders.some((folder) => from.startsWith(folder))) return undefined;
  if (folders.length > 0) return `${name} is for ${folders.join(', ')}`;
  return driverFile.test(from) && name !== 'zod' ? `a destination must declare its packages in its facts` : undefined;
}

/** A file of a destination, except of its stand-in, which is not bundled. */
const driverFile = /^lib\/destinations\/(?!frame\/)[^/]+\/(?!fake\/|fake\.ts$)/;

/** Packages that facts declare but the destination does not import, and imports of `lib` that package.json does not have. */
export function packageViolations(
  files: readonly SourceFile[],
  brought: PackagesByType,
  dependencies: ReadonlySet<string>,
): readonly string[] {
  const imported = files.flatMap(({ path, imports }) =>
    imports.flatMap((one) => (one.kind === 'package' ? [{ path, name: one.name }] : [])),
  );
  const idle = [...brought].flatMap(([type, packages]) =>
    packages
      .filter((name) => !imported.some((one) => one.name === name && one.path.startsWith(`lib/destinations/${type}/`)))
      .map((name) => `${type} brings ${name} and does not import it`),
  );
  const missing = imported
    .filter(({ path, name }) => isDeployed(path) && !name.startsWith('node:') && !dependencies.has(name))
    .map(({ path, name }) => `${path} → ${name}: it is not among the dependencies of package.json`);
  return [...idle, ...missing];
}

const isDeployed = (path: string): boolean => path.startsWith('lib/') && !/^lib\/destinations\/.*\bfake\b/.test(path);

function computedRefusal(from: string): string | undefined {
  if (isFree(from) || from === 'lib/destinations/load.ts') return undefined;
  return 'only lib/destinations/load.ts may use computed imports';
}

const isFree = (path: string): boolean => /^(infra|test)\//.test(path) || path === 'vitest.config.ts';

/** `lib/app.ts` and the folder with its parts. */
const isRoot = (path: string): boolean => /^lib\/app(\.ts$|\/)/.test(path);

const moduleOf = (path: string): string | undefined => /^lib\/([^/]+?)(?:\/|\.ts$)/.exec(path)?.[1];

/** The folder of a leaf. All destinations share `destinations/frame`, and both versions of KV share `engines/kv/shared`. */
const leafOf = (path: string): string | undefined =>
  /^lib\/(?:engines\/kv(?!\/shared\/)\/[^/]+|(?:engines(?!\/kv\/)|auth\/methods|destinations(?!\/frame\/))\/[^/]+)(?=\/)/.exec(
    path,
  )?.[0];

/** Imports that leave their room by a relative path or climb more than two folders, as texts. */
export function pathViolations(files: readonly Pick<SourceFile, 'path' | 'text'>[]): readonly string[] {
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(/^(?:import|export|\} from|declare module)\b[^'\n]*'(\.[^'\n]+)'/gm)].flatMap(
      ([, specifier = '']) => {
        const target = new URL(specifier, `file:///${path}`).pathname.slice(1);
        const leaves = target.startsWith('lib/') && !isRoot(path) && moduleOf(target) !== moduleOf(path);
        if (!specifier.startsWith('../../../') && !leaves) return [];
        return [`${path}: ${specifier} is #${target.replace(/^lib\//, '')}`];
      },
    ),
  );
}

/** Import cycles, including imports of types, as texts `a → b → a`. */
export function cycles(files: readonly SourceFile[]): readonly string[] {
  const next = new Map(
    files.map(({ path, imports }) => [path, imports.flatMap((one) => (one.kind === 'file' ? [one.path] : []))]),
  );
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) found.push([...trail.slice(start), path].join(' → '));
    if (start >= 0 || done.has(path)) return;
    for (const to of next.get(path) ?? []) visit(to, [...trail, path]);
    done.add(path);
  };
  for (const { path } of files) visit(path, []);
  return found;
}

interface WordRule {
  readonly what: string;
  readonly pattern: RegExp;
  /** Files that may have it. */
  readonly except: RegExp;
}

const nowhere = /^$/;

const wordRules: readonly WordRule[] = [
  // Programs that start processes pass on the environment, and tests fix it.
  {
    what: 'reads the environment, which lib/core/config.ts does for all',
    pattern: /\bprocess\s*\.\s*env\b|\bprocess\s*\[|[{,]\s*env\s*[,}][^;]*=\s*process\b/,
    except: /^(lib\/core\/config\.ts$|infra\/|test\/)/,
  },
  // vitest requires default exports for its configuration and global set-up; declarations describe the exports of others.
  {
    what: 'has a default export',
    pattern: /\bexport\s+default\b|\bexport\s*\{[^}]*\bdefault\b/,
    except: /^(vitest\.config|test\/vitest\.config|test\/start-services|test\/browser\/vitest\.config)\.ts$|\.d\.ts$/,
  },
  { what: 'has an enum', pattern: /^\s*(?:export\s+)?(?:declare\s+)?(?:const\s+)?enum\s+\w/m, except: nowhere },
  { what: 'has a namespace', pattern: /^\s*(?:export\s+)?(?:declare\s+)?namespace\s+[\w.]+\s*\{/m, except: /\.d\.ts$/ },
  { what: 'has the type any', pattern: /(?:[:<|&,]\s*|\b(?:as|extends)\s+)any\b(?!\s*[(:=.])/, except: nowhere },
];

/** Language features that are not used here. */
export function wordViolations(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap(({ path, code }) =>
    wordRules
      .filter(({ pattern, except }) => !except.test(path) && pattern.test(code))
      .map(({ what }) => `${path} ${what}`),
  );
}

const foreignWords: readonly RegExp[] = [
  // A checkout or a home directory on one machine.
  /(?<![\w.$}-])\/(?:work|root|home\/\w+|Users\/\w+|tmp\/\w+)\/[\w.]+/,
  /\breference\/[\w-]+\.md\b/,
  /\b(?:TODO|FIXME|HACK)\b/,
  /\bissue\s+#?\d+/i,
  /\b(?:co-?worker|colleague|the architect|this session|the brief)s?\b/i,
];

/** Texts that are not about the project: paths of one machine, notes to oneself, names of authors. */
export function foreignTexts(files: readonly Pick<SourceFile, 'path' | 'text'>[]): readonly string[] {
  return files.flatMap(({ path, text }) =>
    foreignWords.flatMap((pattern) => {
      const found = pattern.exec(text)?.[0];
      return found === undefined ? [] : [`${path}: ${found}`];
    }),
  );
}

/** Statements that change a schema, by their first words, and the query builder's methods for them. */
const schemaStatement =
  /\b(?:create|alter|drop)\s+(?:or\s+replace\s+)?(?:unlogged\s+|temp(?:orary)?\s+|unique\s+|foreign\s+|event\s+|constraint\s+|materialized\s+)*(?:table|index|view|sequence|trigger|function|procedure|type|domain|schema|extension|rule|policy\s+\w+\s+on)\b|\.schema\s*\.\s*(?:create|alter|drop)/i;

/** The migrator creates its own table; a restore recreates a schema and disables its triggers meanwhile. */
const mayChangeSchema = /^lib\/store\/(?:migrations\/|migrate\.ts$|backup\/(?:load|restore)\.ts$)/;

/** Deployed files that change the schema outside migrations, so that the schema would not follow from its version. */
export function schemaChanges(files: readonly Pick<SourceFile, 'path' | 'text'>[]): readonly string[] {
  return files.flatMap(({ path, text }) => {
    if (!/^(?:lib|functions)\//.test(path) || mayChangeSchema.test(path)) return [];
    const found = schemaStatement.exec(text.replace(/^\s*(?:\/?\*|\/\/).*$/gm, ''))?.[0];
    return found === undefined ? [] : [`${path}: ${found}`];
  });
}
