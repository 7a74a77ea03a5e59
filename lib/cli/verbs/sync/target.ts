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
