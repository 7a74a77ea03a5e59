import { z } from 'zod';
import type { Mask } from '#core/log/mask.ts';

const change = z.looseObject({
  before: z.unknown().optional(),
  after: z.unknown().optional(),
  before_sensitive: z.unknown().optional(),
  after_sensitive: z.unknown().optional(),
});
const resources = z.array(z.looseObject({ change })).optional();

const plan = z.object({
  format_version: z.string(),
  output_changes: z.record(z.string(), change).optional(),
  resource_changes: resources,
  resource_drift: resources,
  relevant_attributes: z.unknown().optional(),
});
const schemas = z.object({ format_version: z.string(), provider_schemas: z.unknown().optional() });

/**
 * The form of a plan that command lines show: its changes without sensitive values, and the schemas of the providers. The values of variables, of the
 * configuration and of the state are not part of it, nor is any of the secrets, whatever the configuration says of them. Undefined for JSON of another
 * form.
 */
export function redactedPlan(json: Buffer, schema: Buffer | undefined, secrets: Mask): string | undefined {
  const [read, known] = [plan.safeParse(parsed(json)), schemas.safeParse(parsed(schema))];
  if (!read.success || !known.success) return undefined;
  const { format_version, output_changes = {}, resource_changes, resource_drift, relevant_attributes } = read.data;
  return JSON.stringify({
    plan_format_version: format_version,
    output_changes: Object.fromEntries(
      Object.entries(output_changes).map(([name, one]) => [name, masked(redacted(one), secrets)]),
    ),
    resource_changes: resource_changes?.map((one) => masked({ ...one, change: redacted(one.change) }, secrets)),
    resource_drift: resource_drift?.map((one) => masked({ ...one, change: redacted(one.change) }, secrets)),
    relevant_attributes: masked(relevant_attributes, secrets),
    provider_format_version: known.data.format_version,
    provider_schemas: known.data.provider_schemas ?? {},
  });
}

const redacted = (one: z.infer<typeof change>) => ({
  ...one,
  before: without(one.before, one.before_sensitive),
  after: without(one.after, one.after_sensitive),
});

/** What stands for a sensitive value; another one than null, so that a change stays visible. */
const hidden = 'REDACTED';

/** A value without the parts that its marks name: `true` marks all of it, an object or a list its members. */
function without(value: unknown, marks: unknown): unknown {
  if (marks === true) return value === null || value === undefined ? value : hidden;
  if (Array.isArray(value) && Array.isArray(marks)) return value.map((one, at) => without(one, marks[at]));
  if (!isObject(value) || !isObject(marks)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, without(one, marks[name])]));
}

/** Words of the form itself, which the configuration cannot compute. */
const plainNames = new Set(['actions', 'action_reason', 'mode', 'type', 'provider_name']);
/** Members whose own names come from the configuration. */
const freeNames = new Set(['before', 'after']);

/** A value in which no text, no number and no free name shows a secret. */
function masked(value: unknown, secrets: Mask, isFree = false): unknown {
  if (typeof value === 'string') return secrets.whole(value);
  if (typeof value === 'number') return secrets.whole(String(value)) === String(value) ? value : hidden;
  if (Array.isArray(value)) return value.map((one) => masked(one, secrets, isFree));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      isFree ? secrets.whole(name) : name,
      !isFree && plainNames.has(name) ? one : masked(one, secrets, isFree || freeNames.has(name)),
    ]),
  );
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parsed(json: Buffer | undefined): unknown {
  try {
    return JSON.parse(json?.toString() ?? '');
  } catch {
    return undefined;
  }
}
