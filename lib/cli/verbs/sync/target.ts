import { usage } from '../../failure.ts';

/** A destination by `<type>/<name>`. */
export interface Target {
  readonly type: string;
  readonly name: string;
}

/** @throws CommandFailure */
export function targetOf(text: string | undefined, verb: string): Target {
  const [, type, name] = /^([^/]+)\/([^/]+)$/.exec(text ?? '') ?? [];
  if (type !== undefined && name !== undefined) return { type, name };
  throw usage(
    text === undefined ? '--to says where, as in --to cloud-a-sm/prod' : `"${text}" is not of the form <type>/<name>`,
    verb,
  );
}

/**
 * Those that are about a destination. A type has two names, of which a user may give either: where none has the given one, all that have the
 * name of the destination match.
 * @param nameOf `type/name`
 */
export function matching<T>(all: readonly T[], { type, name }: Target, nameOf: (one: T) => string): readonly T[] {
  const exact = all.filter((one) => nameOf(one) === `${type}/${name}`);
  return exact.length > 0 ? exact : all.filter((one) => nameOf(one).endsWith(`/${name}`));
}
