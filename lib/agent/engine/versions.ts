/** The parts of a version of an engine: numbers, then what follows a hyphen. */
type Version = readonly [major: number, minor: number, patch: number, pre: string];

export function parseVersion(text: string): Version | undefined {
  const [, major, minor = '0', patch = '0', pre = ''] =
    /^v?(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(?:-([0-9A-Za-z.-]+))?$/.exec(text.trim()) ?? [];
  return major === undefined ? undefined : [Number(major), Number(minor), Number(patch), pre];
}

/** Below zero when `one` is older. A version with a suffix is older than the one without. */
export function compareVersions(one: Version, other: Version): number {
  for (const at of [0, 1, 2] as const) if (one[at] !== other[at]) return one[at] - other[at];
  if (one[3] === other[3]) return 0;
  if (one[3] === '') return 1;
  return other[3] === '' || one[3] > other[3] ? 1 : -1;
}

/** The newest of several versions that a workspace may use: `latest`, an exact version, or constraints such as `~> 1.5.0, != 1.5.3`. */
export function newestMatching(wanted: string, versions: readonly string[]): string | undefined {
  const fits = versions.flatMap((text) => {
    const version = parseVersion(text);
    return version !== undefined && matches(wanted, version) ? [{ text, version }] : [];
  });
  return fits.toSorted((one, other) => compareVersions(other.version, one.version))[0]?.text;
}

function matches(wanted: string, version: Version): boolean {
  const isExact = parseVersion(wanted) !== undefined;
  if (wanted === 'latest') return version[3] === '';
  if (!isExact && version[3] !== '') return false;
  return wanted.split(',').every((one) => meets(one.trim(), version));
}

function meets(condition: string, version: Version): boolean {
  const [, operator = '', text = ''] = /^(~>|>=|<=|!=|=|>|<)?\s*(.+)$/.exec(condition) ?? [];
  const bound = parseVersion(text);
  if (bound === undefined) return false;
  const order = compareVersions(version, bound);
  if (operator === '>=') return order >= 0;
  if (operator === '<=') return order <= 0;
  if (operator === '!=') return order !== 0;
  if (operator === '>') return order > 0;
  if (operator === '<') return order < 0;
  if (operator !== '~>') return order === 0;
  // The last number that is given may grow.
  const numbers = text.split('-', 1)[0]?.split('.').length ?? 1;
  const kept = Math.max(1, numbers - 1);
  return order >= 0 && version.slice(0, kept).every((number, at) => number === bound[at]);
}
