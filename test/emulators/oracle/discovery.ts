import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Exchange } from './exchange.ts';
import { type OpenOracle, type Oracle, parseJson } from './oracle.ts';
import { openSchemas } from './schema.ts';

// The parts of a discovery document that this file uses.
const reference = z.object({ $ref: z.string() });
const method = z.object({
  id: z.string(),
  httpMethod: z.string(),
  flatPath: z.string(),
  parameters: z.record(z.string(), z.object({ location: z.string(), required: z.boolean().default(false) })),
  request: reference.optional(),
  response: reference,
});
type Method = z.output<typeof method>;
const resource = z.object({
  methods: z.record(z.string(), method).default({}),
  get resources() {
    return z.record(z.string(), resource).default({});
  },
});
type Resource = z.output<typeof resource>;
const description = resource.extend({
  parameters: z.record(z.string(), z.unknown()),
  schemas: z.record(z.string(), z.looseObject({})),
});

const errorSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message', 'status'],
      properties: { code: { type: 'integer' }, message: { type: 'string' }, status: { type: 'string' } },
    },
  },
};

/**
 * The discovery document of Secret Manager, which Google's Python client contains, as an oracle: path, method, query, body and
 * answer of each call. Logins are not part of it.
 */
export const openOracle: OpenOracle = async (packages) => {
  const file = join(packages, 'googleapiclient', 'discovery_cache', 'documents', 'secretmanager.v1.json');
  return judgeBy(packages, JSON.parse(await readFile(file, 'utf8')));
};

export function judgeBy(packages: string, raw: object): Oracle {
  const document = description.parse(raw);
  const schemaAt = openSchemas(packages, {
    schemas: strict(document.schemas, 'names'),
    numbered: { ...strict(document.schemas, 'numbers'), error: errorSchema },
  });
  const found = methodsOf(document).map((one) => ({ ...one, pattern: patternOf(one.flatPath) }));

  function find({ method: verb, url }: Exchange) {
    return found.find(({ httpMethod, pattern }) => httpMethod === verb && pattern.test(url.pathname));
  }

  function queryProblems({ parameters }: Method, { searchParams }: URL): readonly string[] {
    const names = [...searchParams.keys()];
    // Parameters common to all methods may have a dollar sign:
    // https://cloud.google.com/apis/docs/system-parameters
    const known = (name: string) =>
      parameters[name]?.location === 'query' || name.replace(/^\$/, '') in document.parameters;
    const missing = Object.entries(parameters).filter(
      ([name, { location, required }]) => required && location === 'query' && !names.includes(name),
    );
    return [
      ...names.filter((name) => !known(name)).map((name) => `query parameter ${name} is not described`),
      ...missing.map(([name]) => `query parameter ${name} is missing`),
    ];
  }

  function bodyProblems({ request }: Method, text: string): readonly string[] {
    if (request === undefined) return text === '' ? [] : ['a body is not described'];
    return schemaAt(`/schemas/${request.$ref}`)(parseJson(text)).map((problem) => `request body: ${problem}`);
  }

  function answerProblems({ response }: Method, { status, body }: NonNullable<Exchange['answer']>): readonly string[] {
    const schema = status < 400 ? response.$ref : 'error';
    return schemaAt(`/numbered/${schema}`)(parseJson(body)).map((problem) => `answer ${status}: ${problem}`);
  }

  return {
    judge(exchange) {
      if (exchange.url.pathname === '/token') return { operation: 'login', differences: [] };
      // Tests also make calls as another client.
      if (exchange.headers['x-goog-api-client'] === undefined) return { operation: 'another client', differences: [] };
      const one = find(exchange);
      if (one === undefined) {
        return { operation: 'unknown', differences: [`${exchange.method} ${exchange.url.pathname} is not described`] };
      }
      const asked = [...queryProblems(one, exchange.url), ...bodyProblems(one, exchange.request)];
      const said = exchange.answer === undefined ? [] : answerProblems(one, exchange.answer);
      return { operation: one.id, differences: [...asked, ...said] };
    },
  };
}

const methodsOf = ({ methods, resources }: Resource): readonly Method[] => [
  ...Object.values(methods),
  ...Object.values(resources).flatMap(methodsOf),
];

const patternOf = (flatPath: string): RegExp => new RegExp(`^/${flatPath.replace(/\{[^}]+\}/g, '[^/:]+')}$`);

/**
 * Converts to current JSON Schema: these schemas refer to each other by name, and the service refuses undescribed members.
 * The client requests numbers for enumerations in answers (`enum-encoding=int`).
 */
function strict(schemas: Readonly<Record<string, object>>, enumerations: 'names' | 'numbers') {
  const table = enumerations === 'names' ? 'schemas' : 'numbered';
  const converted: Readonly<Record<string, unknown>> = JSON.parse(JSON.stringify(schemas), (key, value: unknown) => {
    if (key === '$ref' && typeof value === 'string') return `#/${table}/${value}`;
    if ((key === 'id' && typeof value === 'string') || (key === 'type' && value === 'any')) return undefined;
    if (typeof value !== 'object' || value === null || !('type' in value)) return value;
    if ('enum' in value && enumerations === 'numbers') return { type: 'integer' };
    return 'properties' in value ? { additionalProperties: false, ...value } : value;
  });
  return converted;
}
