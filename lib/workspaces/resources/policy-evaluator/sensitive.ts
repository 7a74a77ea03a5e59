import { isJsonObject, type Json, type JsonObject } from '#core/json/json.ts';

/** Values that are collected of one plan. */
const valuesMax = 10_000;

/** Members of a plan in JSON that hold values, each with the one that marks what is sensitive in them. */
const marked = [
  ['before', 'before_sensitive'],
  ['after', 'after_sensitive'],
  ['values', 'sensitive_values'],
  ['value', 'sensitive'],
] as const;

/** The sensitive values in a plan, as texts. */
export function sensitiveIn(plan: Json): readonly string[] {
  const found = new Set<string>();
  visit(plan, found);
  for (const value of variablesIn(plan)) collect(value, true, found);
  return [...found];
}

function visit(value: Json | undefined, found: Set<string>): void {
  if (found.size >= valuesMax || value === undefined) return;
  if (Array.isArray(value)) for (const one of value as readonly Json[]) visit(one, found);
  if (!isJsonObject(value)) return;
  for (const [name, mark] of marked) if (Object.hasOwn(value, mark)) collect(value[name], value[mark], found);
  for (const one of Object.values(value)) visit(one, found);
}

/** The leaves of a value that its marks cover: a mark is `true`, or has the form of the value. */
function collect(value: Json | undefined, marks: Json | undefined, found: Set<string>): void {
  if (value === undefined || value === null || found.size >= valuesMax) return;
  if (typeof value === 'string' || typeof value === 'number') {
    if (marks === true) found.add(String(value));
    return;
  }
  if (Array.isArray(value))
    for (const [at, one] of (value as readonly Json[]).entries())
      collect(one, marks === true || !Array.isArray(marks) ? marks : (marks as readonly Json[])[at], found);
  else if (isJsonObject(value))
    for (const [name, one] of Object.entries(value))
      collect(one, marks === true || !isJsonObject(marks ?? null) ? marks : (marks as JsonObject)[name], found);
}

/** Values of input variables that the configuration declares as sensitive. */
function variablesIn(plan: Json): readonly Json[] {
  const declared = memberOf(plan, 'configuration', 'root_module', 'variables');
  const given = memberOf(plan, 'variables');
  return Object.entries(declared)
    .filter(([, one]) => isJsonObject(one) && one['sensitive'] === true)
    .map(([name]) => memberOf(given, name)['value'] ?? null);
}

function memberOf(value: Json, ...names: readonly string[]): JsonObject {
  let inner: Json = value;
  for (const name of names) inner = isJsonObject(inner) ? (inner[name] ?? null) : null;
  return isJsonObject(inner) ? inner : {};
}
