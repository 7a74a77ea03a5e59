/** The files of a destination type, by role: who knows one driver knows all. */
const usual = [
  'index.ts',
  'facts.ts',
  'fields.ts',
  'validate.ts',
  'names.ts',
  'driver.ts',
  'client.ts',
  'login.ts',
  'look.ts',
  'put.ts',
  'remove.ts',
  'failure.ts',
];

/** Without these there is no type. */
const needed = ['index.ts', 'fields.ts', 'names.ts', 'driver.ts', 'fake/index.ts'];

const reason = /^\/\/ Beyond the usual files: .{20,}\.$/;

interface Source {
  readonly path: string;
  readonly text: string;
}

/** What breaks the shape that the folders of all destination types have, as texts. */
export function shapeViolations(sources: readonly Source[]): readonly string[] {
  const types = new Map<string, Source[]>();
  for (const source of sources) {
    const type = /^lib\/destinations\/(?!frame\/)([^/]+)\//.exec(source.path)?.[1];
    if (type !== undefined) types.set(type, [...(types.get(type) ?? []), source]);
  }
  return [...types].flatMap(([type, files]) => {
    const folder = `lib/destinations/${type}/`;
    const names = files.map(({ path }) => path.slice(folder.length));
    return [
      ...needed.filter((name) => !names.includes(name)).map((name) => `${folder}${name} is missing`),
      ...files.filter(({ path, text }) => isStray(path.slice(folder.length), text)).map(({ path }) => stray(path)),
    ];
  });
}

/** What belongs to the stand-in is in `fake/`, whatever its name. */
function isStray(name: string, text: string): boolean {
  if (name.startsWith('fake/') || usual.includes(name)) return false;
  return name.includes('/') || !reason.test(text.split('\n', 1)[0] ?? '');
}

const stray = (path: string): string =>
  `${path} is none of the usual files, and its first line has no reason: "// Beyond the usual files: why."`;
