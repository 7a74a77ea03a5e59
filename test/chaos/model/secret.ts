/** A version of a KV v2 secret. */
export interface Version {
  readonly number: number;
  readonly data: Readonly<Record<string, string>>;
  readonly gone: 'no' | 'deleted' | 'destroyed';
}

/** `current` is 0 when the secret does not exist. */
export interface State {
  readonly current: number;
  readonly versions: readonly Version[];
}

export const none: State = { current: 0, versions: [] };

/** Versions that a secret keeps by default. */
const versionsMax = 10;

export const written =
  (data: Version['data']) =>
  ({ current, versions }: State): State => {
    const version: Version = { number: current + 1, data, gone: 'no' };
    return { current: current + 1, versions: [...versions, version].slice(-versionsMax) };
  };

export const metadataDeleted = (): State => none;

/** The current version when `numbers` is undefined. Destroyed versions stay destroyed. */
export const turned =
  (gone: Version['gone'], numbers?: readonly number[]) =>
  ({ current, versions }: State): State => ({
    current,
    versions: versions.map((version) => {
      const meant = numbers?.includes(version.number) ?? version.number === current;
      return meant && version.gone !== 'destroyed' ? { ...version, gone } : version;
    }),
  });

/** The result of a read: the data of the current version. */
export const readable = ({ current, versions }: State): Version['data'] | undefined =>
  versions.find(({ number, gone }) => number === current && gone === 'no')?.data;

/** What the destinations hold: the newest version that is not deleted. */
export const synced = ({ versions }: State): Version['data'] | undefined =>
  versions.findLast(({ gone }) => gone === 'no')?.data;

export const sameData = (left: Version['data'] | undefined, right: Version['data'] | undefined): boolean =>
  JSON.stringify(sorted(left)) === JSON.stringify(sorted(right));

const sorted = (data: Version['data'] | undefined) =>
  data === undefined ? null : Object.entries(data).toSorted(([left], [right]) => (left < right ? -1 : 1));
