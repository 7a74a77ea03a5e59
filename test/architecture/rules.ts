import type { SourceFile } from './scan.ts';

/** The modules of `lib/` and what each may import beside itself (design, section 2). */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  core: [],
  path: ['core'],
  store: ['core'],
  queue: ['core'],
  network: ['core'],
  telemetry: ['core'],
  audit: ['core', 'path', 'store', 'network'],
  auth: ['core', 'path', 'store', 'network'],
  engines: ['core', 'path', 'store', 'network'],
  destinations: ['core', 'path', 'store', 'network'],
  'key-services': ['core', 'store', 'network'],
  workspaces: ['core', 'path', 'store', 'network', 'auth'],
  sync: ['core', 'path', 'store', 'queue', 'network', 'destinations'],
  http: ['core', 'path', 'auth', 'audit'],
};

/** Files that list the leaves of their module. They take a leaf's index only. */
const lists = [
  'lib/destinations/index.ts',
  'lib/destinations/load.ts',
  'lib/engines/index.ts',
  'lib/auth/methods/index.ts',
];

/**
 * Packages that only some folders use, so that there is one folder to look at when they change. What only a destination uses
 * stands in its facts. Tests use what they like.
 */
const packageFolders: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^bullmq$/, ['lib/queue/']],
  [/^pg$/, ['lib/store/', 'infra/local/']],
  [/^pg-copy-streams$/, ['lib/store/']],
  // Modules that are handed the store's handle write their queries with it.
  [/^kysely$/, ['lib/store/', 'lib/audit/', 'lib/auth/', 'lib/engines/', 'lib/sync/', 'lib/workspaces/', 'lib/app/']],
  [/^fastify$/, ['lib/http/', 'lib/app/board/']],
  [/^@bull-board\/.+$/, ['lib/queue/board.ts', 'lib/app/board/']],
  [/^(prom-client|@opentelemetry\/.+)$/, ['lib/telemetry/']],
  [/^@aws-sdk\/client-sqs$/, ['lib/app/']],
  [/^(@aws-sdk\/credential-provider-node|@smithy\/signature-v4)$/, ['lib/key-services/cloud-a-kms/']],
  [/^@azure\/identity$/, ['lib/key-services/cloud-b-keys/']],
  [/^google-auth-library$/, ['lib/key-services/cloud-c-kms/']],
];

/** The packages that each destination type brings, from its facts. */
export type PackagesByType = ReadonlyMap<string, readonly string[]>;

/** What breaks the table of imports, as texts `from → to: why`. */
export function importViolations(files: readonly SourceFile[], brought: PackagesByType): readonly string[] {
  return files.flatMap(({ path, imports }) =>
    imports.flatMap((one) => {
      const [to, why] =
        one.kind === 'file'
          ? [one.path, fileRefusal(path, one.path)]
          : one.kind === 'package'
            ? [one.name, packageRefusal(path, one.name, brought)]
            : ['what is computed', computedRefusal(path)];
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
  if (isRoot(to)) return 'nobody in lib imports the composition root';
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
  // The benchmark's baselines are the bare packages.
  if (name.startsWith('node:') || /^(test|infra\/bench)\//.test(from)) return undefined;
  const types = [...brought].flatMap(([type, packages]) => (packages.includes(name) ? [type] : []));
  const folders = [
    ...(packageFolders.find(([pattern]) => pattern.test(name))?.[1] ?? []),
    ...types.map((type) => `lib/destinations/${type}/`),
  ];
  if (folders.some((folder) => from.startsWith(folder))) return undefined;
  if (folders.length > 0) return `${name} is for ${folders.join(', ')}`;
  return driverFile.test(from) && name !== 'zod' ? `a destination names in its facts what it brings` : undefined;
}

/** Of one destination, but not of its stand-in, which is no part of a bundle. */
const driverFile = /^lib\/destinations\/(?!frame\/)[^/]+\/(?!fake\/|fake\.ts$)/;

/** Packages that facts name and the destination does not import, and imports of `lib` that package.json does not have. */
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
  return 'only lib/destinations/load.ts computes what it imports';
}

const isFree = (path: string): boolean => /^(infra|test)\//.test(path) || path === 'vitest.config.ts';

/** `lib/app.ts`, and the folder it shows the parts of. */
const isRoot = (path: string): boolean => /^lib\/app(\.ts$|\/)/.test(path);

const moduleOf = (path: string): string | undefined => /^lib\/([^/]+?)(?:\/|\.ts$)/.exec(path)?.[1];

/** The leaf's folder. `destinations/frame` is common to all destinations, `engines/kv/shared` to both versions of KV. */
const leafOf = (path: string): string | undefined =>
  /^lib\/(?:engines\/kv(?!\/shared\/)\/[^/]+|(?:engines(?!\/kv\/)|auth\/methods|destinations(?!\/frame\/))\/[^/]+)(?=\/)/.exec(
    path,
  )?.[0];

/** Import cycles, imports of types included, as texts `a → b → a`. */
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
  // What starts processes hands the environment on, and tests hold it still.
  {
    what: 'reads the environment, which lib/core/config.ts does for all',
    pattern: /\bprocess\s*\.\s*env\b|\bprocess\s*\[|[{,]\s*env\s*[,}][^;]*=\s*process\b/,
    except: /^(lib\/core\/config\.ts$|infra\/|test\/)/,
  },
  // vitest finds its configuration and its global set-up by the default export; declarations describe what others export.
  {
    what: 'has a default export',
    pattern: /\bexport\s+default\b|\bexport\s*\{[^}]*\bdefault\b/,
    except: /^(vitest\.config|test\/vitest\.config|test\/start-services)\.ts$|\.d\.ts$/,
  },
  { what: 'has an enum', pattern: /^\s*(?:export\s+)?(?:declare\s+)?(?:const\s+)?enum\s+\w/m, except: nowhere },
  { what: 'has a namespace', pattern: /^\s*(?:export\s+)?(?:declare\s+)?namespace\s+[\w.]+\s*\{/m, except: /\.d\.ts$/ },
  { what: 'has the type any', pattern: /(?:[:<|&,]\s*|\b(?:as|extends)\s+)any\b(?!\s*[(:=.])/, except: nowhere },
];

/** Words of the language that are not used here. */
export function wordViolations(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap(({ path, code }) =>
    wordRules
      .filter(({ pattern, except }) => !except.test(path) && pattern.test(code))
      .map(({ what }) => `${path} ${what}`),
  );
}

const foreignWords: readonly RegExp[] = [
  // A checkout or a home on one machine.
  /(?<![\w.$}-])\/(?:work|root|home\/\w+|Users\/\w+|tmp\/\w+)\/[\w.]+/,
  /\breference\/[\w-]+\.md\b/,
  /\b(?:TODO|FIXME|HACK)\b/,
  /\bissue\s+#?\d+/i,
  /\b(?:co-?worker|colleague|the architect|this session|the brief)s?\b/i,
];

/** Texts that speak of something else than the project: paths of one machine, notes to oneself, who worked on it. */
export function foreignTexts(files: readonly Pick<SourceFile, 'path' | 'text'>[]): readonly string[] {
  return files.flatMap(({ path, text }) =>
    foreignWords.flatMap((pattern) => {
      const found = pattern.exec(text)?.[0];
      return found === undefined ? [] : [`${path}: ${found}`];
    }),
  );
}

/** Statements that change a schema, by their first words; and what the query builder has for them. */
const schemaStatement =
  /\b(?:create|alter|drop)\s+(?:or\s+replace\s+)?(?:unlogged\s+|temp(?:orary)?\s+|unique\s+|foreign\s+|event\s+|constraint\s+|materialized\s+)*(?:table|index|view|sequence|trigger|function|procedure|type|domain|schema|extension|rule|policy\s+\w+\s+on)\b|\.schema\s*\.\s*(?:create|alter|drop)/i;

/** The list of steps makes its own table; a restore makes a schema anew, and holds its triggers still meanwhile. */
const mayChangeSchema = /^lib\/store\/(?:migrations\/|migrate\.ts$|backup\/(?:load|restore)\.ts$)/;

/** Files of what is deployed that change the schema, so that it would not follow from its version alone. */
export function schemaChanges(files: readonly Pick<SourceFile, 'path' | 'text'>[]): readonly string[] {
  return files.flatMap(({ path, text }) => {
    if (!/^(?:lib|functions)\//.test(path) || mayChangeSchema.test(path)) return [];
    const found = schemaStatement.exec(text.replace(/^\s*(?:\/?\*|\/\/).*$/gm, ''))?.[0];
    return found === undefined ? [] : [`${path}: ${found}`];
  });
}
