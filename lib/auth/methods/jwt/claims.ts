/** The claims of a token with a valid signature. */
export type Claims = Readonly<Record<string, unknown>>;

/** The value of a claim by its name, or by a JSON pointer (RFC 6901), which starts with a slash. Undefined when it is missing. */
export function claimAt(claims: Claims, name: string): unknown {
  if (!name.startsWith('/')) return own(claims, name);
  const steps = name.slice(1).split('/');
  return steps.reduce<unknown>((value, step) => own(value, step.replaceAll('~1', '/').replaceAll('~0', '~')), claims);
}

function own(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return Reflect.get(value, name);
}

/** A single value as text. Undefined for lists and objects, and for numbers that may have lost digits. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'number') return undefined;
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : String(value);
}

/** A value or a list of values as texts. Undefined when any of them is not a single value. */
export function textsOf(value: unknown): readonly string[] | undefined {
  const texts = (Array.isArray(value) ? value : [value]).map(textOf);
  return texts.every((text) => text !== undefined) ? texts : undefined;
}
