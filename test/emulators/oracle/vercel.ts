import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Exchange } from './exchange.ts';
import { type OpenOracle, parseJson } from './oracle.ts';

interface Issue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}
interface Schema {
  safeParse(value: unknown): {
    readonly success: boolean;
    readonly data?: unknown;
    readonly error?: { readonly issues: readonly Issue[] };
  };
}

interface Operation {
  readonly name: string;
  readonly method: string;
  readonly pattern: RegExp;
  readonly request: Schema;
  /** The schema of the request body. */
  readonly body: Schema | undefined;
  readonly answer: Schema;
}

/** The schemas of `@vercel/sdk` as an oracle: path, method, query, body and answer of each call to the deploy host. */
export const openOracle: OpenOracle = async (packages) => {
  const operations = await load(packages);
  return {
    judge({ method, url, request, answer }) {
      const one = operations.find((operation) => operation.method === method && operation.pattern.test(url.pathname));
      if (one === undefined)
        return { operation: 'unknown', differences: [`${method} ${url.pathname} is not described`] };
      const asked = [...queryProblems(one, url), ...bodyProblems(one, request)];
      return {
        operation: one.name,
        differences: [...asked, ...(answer === undefined ? [] : answerProblems(one, answer))],
      };
    },
  };
};

async function load(packages: string): Promise<readonly Operation[]> {
  const models = async (name: string): Promise<Readonly<Record<string, Schema>>> =>
    import(pathToFileURL(join(packages, 'node_modules', '@vercel', 'sdk', 'esm', 'models', `${name}.js`)).href);
  const one = (
    name: string,
    method: string,
    pattern: RegExp,
    file: Readonly<Record<string, Schema>>,
    answer: string,
  ) => {
    const body = file[`${name}RequestBody$outboundSchema`];
    return {
      name,
      method,
      pattern,
      request: schema(file, `${name}Request$outboundSchema`),
      body,
      answer: schema(file, answer),
    };
  };
  const all = /^\/v10\/projects\/[^/]+\/env$/;
  const single = /^\/v9\/projects\/[^/]+\/env\/[^/]+$/;
  const [list, create, edit, remove] = await Promise.all(
    ['filterprojectenvsop', 'createprojectenvop', 'editprojectenvop', 'removeprojectenvop'].map(models),
  );
  return [
    // A list has several forms; this is the one with pages.
    one('FilterProjectEnvs', 'GET', all, list ?? {}, 'FilterProjectEnvsResponseBody2$inboundSchema'),
    one('CreateProjectEnv', 'POST', all, create ?? {}, 'CreateProjectEnvResponseBody$inboundSchema'),
    one('EditProjectEnv', 'PATCH', single, edit ?? {}, 'EditProjectEnvResponseBody$inboundSchema'),
    one('RemoveProjectEnv', 'DELETE', single, remove ?? {}, 'RemoveProjectEnvResponseBody$inboundSchema'),
  ];
}

function schema(file: Readonly<Record<string, Schema>>, name: string): Schema {
  const found = file[name];
  if (found === undefined) throw new Error(`@vercel/sdk has no ${name}`);
  return found;
}

/** Only names are compared, because all values are texts. */
function queryProblems({ request }: Operation, { searchParams }: URL): readonly string[] {
  const query = Object.fromEntries(searchParams);
  const described = request.safeParse({
    ...query,
    idOrName: 'x',
    id: 'x',
    requestBody: { key: 'k', value: 'v', type: 'plain', target: [] },
  });
  if (!described.success) return issuesOf('query', described);
  return lost(query, described.data).map((path) => `query parameter ${path} is not described`);
}

function bodyProblems({ body }: Operation, request: string): readonly string[] {
  if (body === undefined) return request === '' ? [] : ['a body is not described'];
  return problems('request body', body, parseJson(request));
}

function answerProblems({ answer }: Operation, { status, body }: NonNullable<Exchange['answer']>): readonly string[] {
  const said = parseJson(body);
  if (status < 400) return problems(`answer ${status}`, answer, said);
  const { error } = { error: undefined, ...Object(said) };
  const { code, message } = { code: undefined, message: undefined, ...Object(error) };
  return typeof code === 'string' && typeof message === 'string' ? [] : [`answer ${status}: no code or no message`];
}

function problems(what: string, described: Schema, value: unknown): readonly string[] {
  const parsed = described.safeParse(value);
  if (!parsed.success) return issuesOf(what, parsed);
  return lost(value, parsed.data).map((path) => `${what}: ${path} is not described`);
}

const issuesOf = (what: string, { error }: ReturnType<Schema['safeParse']>): readonly string[] =>
  (error?.issues ?? []).map(
    ({ path, message }) =>
      `${what}: ${path.map((at) => (typeof at === 'number' ? '[]' : `/${at}`)).join('')} ${message}`,
  );

/** Members that the schema does not have, which parsing drops. */
function lost(value: unknown, kept: unknown, path = ''): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (typeof kept !== 'object' || kept === null) return [path];
  return Object.entries(value).flatMap(([name, member]) => {
    const at = Array.isArray(value) ? `${path}[]` : `${path}/${name}`;
    const same: unknown = Object(kept)[name];
    return same === undefined && member !== undefined ? [at] : lost(member, same, at);
  });
}
