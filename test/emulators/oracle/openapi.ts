import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Exchange } from './exchange.ts';
import { type OpenOracle, type Oracle, parseJson } from './oracle.ts';
import { openSchemas, step } from './schema.ts';

// The parts of an OpenAPI description that this file uses.
const reference = z.object({ $ref: z.string() });
const parameter = z.object({
  name: z.string(),
  in: z.string(),
  required: z.boolean().default(false),
  schema: z.unknown(),
});
const content = z.record(z.string(), z.object({ schema: z.unknown().optional() }));
const operation = z.object({
  operationId: z.string(),
  parameters: z.array(z.union([reference, parameter])).default([]),
  requestBody: z.object({ required: z.boolean().default(false), content }).optional(),
  responses: z.record(z.string(), z.unknown()),
});
const description = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  components: z.looseObject({ parameters: z.record(z.string(), parameter) }),
});

const methods = ['get', 'put', 'post', 'patch', 'delete'];

/**
 * `@octokit/openapi` as an oracle: path, method, parameters, body and answer of each call to the repository host. Errors that the
 * description omits must have the host's common form.
 */
export const openOracle: OpenOracle = async (packages) => {
  const file = join(packages, 'node_modules', '@octokit', 'openapi', 'generated', 'api.github.com.json');
  return judgeBy(packages, JSON.parse(await readFile(file, 'utf8')));
};

type Description = z.output<typeof description>;

export function judgeBy(packages: string, raw: object): Oracle {
  const document = description.parse(raw);
  const schemaAt = openSchemas(packages, raw);
  const routes = Object.entries(document.paths).map(([path, item]) => ({ path, item, pattern: patternOf(path) }));

  function find({ method, url }: Exchange) {
    const path = url.pathname.replace(/^\/api\/v3(?=\/)/, '');
    const found = routes
      .filter(({ pattern, item }) => pattern.test(path) && method.toLowerCase() in item)
      .sort((one, other) => one.path.split('{').length - other.path.split('{').length)[0];
    if (found === undefined || !methods.includes(method.toLowerCase())) return undefined;
    const at = `/paths/${step(found.path)}/${method.toLowerCase()}`;
    return { at, groups: found.pattern.exec(path)?.groups ?? {}, ...operation.parse(found.item[method.toLowerCase()]) };
  }
  type Found = NonNullable<ReturnType<typeof find>>;

  /** Checks path and query: known parameters, required ones present, valid values. Numbers are texts here. */
  function parameterProblems({ at, parameters, groups }: Found, { searchParams }: URL): readonly string[] {
    const known = parameters.map((one, index) => ({ ...resolveParameter(document, one), ...placeOf(one, at, index) }));
    const strange = [...searchParams.keys()].filter(
      (name) => !known.some((one) => one.in === 'query' && one.name === name),
    );
    const problems = known.flatMap((one) => {
      const text =
        one.in === 'path' ? groups[groupOf(one.name)] : one.in === 'query' ? searchParams.get(one.name) : undefined;
      if (text == null) return one.required ? [`${one.in} parameter ${one.name} is missing`] : [];
      const check = schemaAt(`${one.pointer}/schema`);
      const decoded = decodeURIComponent(text);
      const fits = [decoded, parseJson(decoded)].some((value) => check(value).length === 0);
      return fits ? [] : check(decoded).map((problem) => `${one.in} parameter ${one.name}: ${problem}`);
    });
    return [...strange.map((name) => `query parameter ${name} is not described`), ...problems];
  }

  function bodyProblems({ at, requestBody }: Found, request: string): readonly string[] {
    const body = parseJson(request);
    if (requestBody === undefined) return request === '' ? [] : ['a body is not described'];
    if (body === undefined) return requestBody.required ? ['request body: it is missing'] : [];
    const pointer = `${at}/requestBody/content/application~1json/schema`;
    const described = propertiesOf(raw, valueAt(raw, pointer));
    const members = typeof body === 'object' && body !== null ? Object.keys(body) : [];
    const strange = members.filter((name) => described !== undefined && !(name in described));
    return [
      ...schemaAt(pointer)(body).map((problem) => `request body: ${problem}`),
      ...strange.map((name) => `request body: ${name} is not described`),
    ];
  }

  function answerProblems(
    { at, responses }: Found,
    { status, body }: NonNullable<Exchange['answer']>,
  ): readonly string[] {
    const said = parseJson(body);
    const described = responses[String(status)];
    if (described === undefined) {
      if (status < 400) return [`status ${status} is not described`];
      return schemaAt('/components/schemas/basic-error')(said).map((problem) => `answer ${status}: ${problem}`);
    }
    const shared = reference.safeParse(described).data?.$ref.slice(1);
    const pointer = shared ?? `${at}/responses/${status}`;
    const { content: forms = {} } = z.object({ content: content.optional() }).parse(valueAt(raw, pointer));
    if (forms['application/json']?.schema === undefined)
      return body === '' ? [] : [`answer ${status}: a body is not described`];
    return schemaAt(`${pointer}/content/application~1json/schema`)(said).map(
      (problem) => `answer ${status}: ${problem}`,
    );
  }

  return {
    judge(exchange) {
      const found = find(exchange);
      if (found === undefined) {
        return { operation: 'unknown', differences: [`${exchange.method} ${exchange.url.pathname} is not described`] };
      }
      const asked = [...parameterProblems(found, exchange.url), ...bodyProblems(found, exchange.request)];
      const said = exchange.answer === undefined ? [] : answerProblems(found, exchange.answer);
      return { operation: found.operationId, differences: [...asked, ...said] };
    },
  };
}

/** Undefined when the schema does not list them. */
function propertiesOf(document: object, schema: unknown): Readonly<Record<string, unknown>> | undefined {
  const shared = reference.safeParse(schema).data?.$ref.slice(1);
  const described = shared === undefined ? schema : valueAt(document, shared);
  return z.object({ properties: z.record(z.string(), z.unknown()) }).safeParse(described).data?.properties;
}

const groupOf = (name: string): string => name.replaceAll('-', '_');

const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replace(/\{([^}]+)\}/g, (_all, name: string) => `(?<${groupOf(name)}>[^/]+)`)}$`);

type Parameter = Description['components']['parameters'][string];

function resolveParameter({ components }: Description, one: Parameter | z.output<typeof reference>): Parameter {
  if ('name' in one) return one;
  const shared = components.parameters[one.$ref.split('/').at(-1) ?? ''];
  if (shared === undefined) throw new Error(`the description has no ${one.$ref}`);
  return shared;
}

const placeOf = (one: object, at: string, index: number) => ({
  pointer: '$ref' in one ? String(one.$ref).slice(1) : `${at}/parameters/${index}`,
});

function valueAt(document: object, pointer: string): unknown {
  const steps = pointer.split('/').slice(1);
  return steps.reduce<unknown>(
    (value, name) => Object(value)[name.replaceAll('~1', '/').replaceAll('~0', '~')],
    document,
  );
}
