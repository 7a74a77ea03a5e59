interface Source {
  readonly path: string;
  readonly text: string;
}

/** Maximum number of lines of a function, so that it can be seen at once. */
export const functionLinesMax = 70;

/** Maximum number of names in a folder. */
export const folderNamesMax = 14;

/** Folders that list things of one kind: rooms, commands, migrations, resources, decisions. They grow with their kind. */
const lists = new Set([
  'lib',
  'lib/store/migrations',
  'lib/workspaces/resources',
  'infra',
  'test',
  'test/workspaces/resources',
  'docs/decisions',
]);

/** Functions of the service and its commands that are too long, as `path:line: lines`. */
export function longFunctions(sources: readonly Source[], linesMax = functionLinesMax): readonly string[] {
  return sources
    .filter(({ path }) => /^(lib|functions|infra)\//.test(path))
    .flatMap(({ path, text }) =>
      functionsOf(text)
        .filter(({ lines }) => lines > linesMax)
        .map(({ line, lines }) => `${path}:${line}: ${lines} lines`),
    );
}

/** The first line of a function that goes on below, as the formatter writes it. */
const begins =
  /\bfunction\b.*[({]$|^\s*(?:(?:async|static|override|get|set) )*[#\w]+(?:<.*>)?\((?:.*\).* \{)?$|=>$|=> ?[[{(]+$/;
const isOther = /^\s*(?:if|for|while|switch|catch|return|throw|await|expect)\b/;
const closes = /^[}\])]/;
const opens = /[{[(]$|=>$/;

function functionsOf(text: string): readonly { readonly line: number; readonly lines: number }[] {
  const all = text.split('\n');
  return all.flatMap((first, index) => {
    if (!begins.test(first) || isOther.test(first)) return [];
    const end = endOf(all, index);
    return end === undefined ? [] : [{ line: index + 1, lines: end - index + 1 }];
  });
}

/** A function ends before the next line of its indentation, or with it if that closes a bracket and does not open another. */
function endOf(all: readonly string[], index: number): number | undefined {
  const indent = indentOf(all[index] ?? '');
  const isCall = /^\s*[#\w]+(?:<.*>)?\($/.test(all[index] ?? '');
  for (let at = index + 1; at < all.length; at += 1) {
    const line = all[at] ?? '';
    if (line === '' || indentOf(line) > indent) continue;
    const rest = line.slice(indent);
    if (!closes.test(rest)) return at - 1;
    if (!opens.test(rest)) return isCall && at === firstClosing(all, index, indent) ? undefined : at;
  }
  return undefined;
}

const firstClosing = (all: readonly string[], index: number, indent: number): number =>
  all.findIndex((line, at) => at > index && line !== '' && indentOf(line) <= indent);

const indentOf = (line: string): number => line.length - line.trimStart().length;

/** Folders that show too many names, files and subfolders together, as `folder: names`. */
export function wideFolders(paths: readonly string[], namesMax = folderNamesMax): readonly string[] {
  const shown = new Map<string, Set<string>>();
  for (const path of paths) {
    const parts = path.split('/');
    parts.slice(1).forEach((name, above) => {
      const folder = parts.slice(0, above + 1).join('/');
      shown.set(folder, (shown.get(folder) ?? new Set()).add(name));
    });
  }
  return [...shown]
    .filter(([folder, names]) => !lists.has(folder) && names.size > namesMax)
    .map(([folder, names]) => `${folder}: ${names.size} names`);
}
