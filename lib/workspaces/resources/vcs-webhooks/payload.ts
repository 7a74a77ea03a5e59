import { isCommit } from '#network/git/commit.ts';

const charactersMax = 4_096;

/** The member of a payload at a path such as `pull_request.head.sha`; undefined when it does not exist. */
export function memberAt(payload: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((at, name) => {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
    return (at as Readonly<Record<string, unknown>>)[name];
  }, payload);
}

/** A text, cut to a length that can be stored; undefined for anything else and for an empty one. */
export function textAt(payload: unknown, path: string): string | undefined {
  const value = memberAt(payload, path);
  if (typeof value !== 'string' || value === '') return undefined;
  return value.replaceAll('\0', '').slice(0, charactersMax).toWellFormed();
}

export const factAt = (payload: unknown, path: string): string | null => textAt(payload, path) ?? null;

export function numberAt(payload: unknown, path: string): number | undefined {
  const value = memberAt(payload, path);
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;
}

export function listAt(payload: unknown, path: string): readonly unknown[] {
  const value = memberAt(payload, path);
  return Array.isArray(value) ? value : [];
}

/** A whole commit. Hosts report `000…` where there is none, and some shorten it. */
export function commitAt(payload: unknown, path: string): string | undefined {
  const text = textAt(payload, path);
  return text !== undefined && isCommit(text) && !/^0+$/.test(text) ? text : undefined;
}

/** The kind and the name of a reference such as `refs/heads/main`. */
export function refOf(ref: string | undefined): { readonly kind: 'branch' | 'tag'; readonly name: string } | undefined {
  const [, folder, name] = /^refs\/(heads|tags)\/(.+)$/.exec(ref ?? '') ?? [];
  return name === undefined ? undefined : { kind: folder === 'tags' ? 'tag' : 'branch', name };
}

/** Whether two names, which may be unknown, are the same. */
export const sameOrUnknown = (one: string | undefined, other: string | undefined): boolean | undefined =>
  one === undefined || other === undefined ? undefined : one === other;
