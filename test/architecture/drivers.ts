/** The roles in a destination type, the same in every type: anyone who knows one driver knows them all. */
const roles = [
  'index',
  'facts',
  'fields',
  'validate',
  'names',
  'driver',
  'client',
  'login',
  'check',
  'look',
  'put',
  'remove',
  'failure',
];

/** The roles that every type must have. */
const needed = ['index', 'fields', 'names', 'driver'];

/** Maximum number of names in the folder of a type, including subfolders. */
export const namesMax = 14;

const reason = /^\/\/ Beyond the usual files: .{20,}\.$/;

interface Source {
  readonly path: string;
  readonly text: string;
}

/**
 * Violations of the common shape of all destination folders, as texts. A role is a file `<role>.ts`. If one file is not enough, it is a
 * folder `<role>/` with a file `<role>.ts`, and the first line of each further file says why it exists. The stand-in is in `fake/`, whose
 * files may have any name.
 */
export function shapeViolations(sources: readonly Source[]): readonly string[] {
  const types = new Map<string, Source[]>();
  for (const source of sources) {
    const type = /^lib\/destinations\/(?!frame\/)([^/]+)\//.exec(source.path)?.[1];
    if (type !== undefined) types.set(type, [...(types.get(type) ?? []), source]);
  }
  return [...types].flatMap(([type, files]) => {
    const folder = `lib/destinations/${type}/`;
    const names = files.map(({ path }) => path.slice(folder.length));
    const has = (role: string) => names.includes(`${role}.ts`) || names.includes(`${role}/${role}.ts`);
    const shown = new Set(names.map((name) => name.split('/', 1)[0]));
    return [
      ...needed.filter((role) => !has(role)).map((role) => `${folder}${role}.ts is missing`),
      ...(names.includes('fake/index.ts') ? [] : [`${folder}fake/index.ts is missing`]),
      ...roles.filter((role) => isSplit(names, role)).map((role) => `${folder}${role}/ and ${role}.ts are one role`),
      ...files
        .filter(({ path, text }) => isStray(path.slice(folder.length), text, names))
        .map(({ path }) => `${path} is not one of the usual files: ${rule}`),
      ...(shown.size > namesMax ? [`${folder} shows ${shown.size} names: ${namesMax} at most`] : []),
    ];
  });
}

const rule = 'begin it with "// Beyond the usual files: why.", in the folder of the type or of a role';

const isSplit = (names: readonly string[], role: string): boolean =>
  names.includes(`${role}.ts`) && names.some((name) => name.startsWith(`${role}/`));

function isStray(name: string, text: string, names: readonly string[]): boolean {
  const [folder, file, ...deeper] = name.includes('/') ? name.split('/') : ['', name];
  if (folder === 'fake') return false;
  const hasReason = reason.test(text.split('\n', 1)[0] ?? '');
  if (folder === '') return !roles.some((role) => file === `${role}.ts`) && !hasReason;
  if (deeper.length > 0 || folder === undefined || !roles.includes(folder)) return true;
  if (file === `${folder}.ts`) return false;
  return !hasReason || !names.includes(`${folder}/${folder}.ts`);
}
