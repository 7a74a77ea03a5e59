import { z } from 'zod';

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
 * configuration and of the state are not part of it. Undefined for JSON of another form.
 */
export function redactedPlan(json: Buffer, schema: Buffer | undefined): string | undefined {
  const [read, known] = [plan.safeParse(parsed(json)), schemas.safeParse(parsed(schema))];
  if (!read.success || !known.success) return undefined;
  const { format_version, output_changes = {}, resource_changes, resource_drift, relevant_attributes } = read.data;
  return JSON.stringify({
    plan_format_version: format_version,
    output_changes: Object.fromEntries(Object.entries(output_changes).map(([name, one]) => [name, redacted(one)])),
    resource_changes: resource_changes?.map((one) => ({ ...one, change: redacted(one.change) })),
    resource_drift: resource_drift?.map((one) => ({ ...one, change: redacted(one.change) })),
    relevant_attributes,
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

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parsed(json: Buffer | undefined): unknown {
  try {
    return JSON.parse(json?.toString() ?? '');
  } catch {
    return undefined;
  }
}
