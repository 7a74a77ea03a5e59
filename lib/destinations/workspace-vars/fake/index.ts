import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { Fake, FakeObject, Fault } from '../../fake.ts';
import { meet, newFaults } from '../../frame/fake/faults.ts';
import { type Answer, type Question, restExchange } from '../../frame/fake/rest.ts';
import { serve as serveHttp } from '../../frame/fake/server.ts';
import { notFound, refuse } from './documents.ts';
import { operationOf, type Place, serve } from './routes.ts';
import { type Draft, type StoredVariable, Variables } from './variables.ts';

const token = 'Hq7dW2mZx4nUoY.atlasv1.9vT3nB8cK5pR6sL1gJ0yE2fXaQiMdNb';
const readerToken = 'Zt5kB1pXw8cGrE.atlasv1.4hV7yD0fU2mS9qA6jL3oP8eWnHxTiRz';
const ids = { workspace: 'ws-KeyferryStandIn1', variableSet: 'varset-KeyferryStandIn1' };
const names = { organization: 'keyferry', workspace: 'stand-in' };

/** The stand-in of this type, with more than the common methods. */
export interface WorkspaceFake extends Fake {
  /** Fields instead of `workspace_id`: for the same workspace by name, and for the variable set. */
  readonly byName: Readonly<Record<string, string>>;
  readonly variableSet: Readonly<Record<string, string>>;
  /** A token that may read but not change anything. */
  readonly readerToken: string;
  /** Adds a foreign variable. */
  add(draft: Draft, where?: 'workspace' | 'variable set'): StoredVariable;
  /** All variables of the workspace and the variable set. */
  variables(): readonly StoredVariable[];
  /** Removes the workspace and creates another one of the same name. Returns its id. */
  remakeWorkspace(): string;
}

/**
 * A stand-in for the variables of a Terraform-compatible host, in workspaces and variable sets: keys unique per category, lists
 * complete or in pages, sensitive values hidden permanently, a new version with each write, JSON:API errors, 415 for another media
 * type, and 404 both for missing resources and for missing permissions.
 */
export async function startFake({ port = 0 }: { readonly port?: number } = {}): Promise<WorkspaceFake> {
  let workspace = newWorkspace(ids.workspace);
  const variableSet: Place = {
    owner: { type: 'varsets', id: ids.variableSet, path: `/varsets/${ids.variableSet}/relationships/vars` },
    variables: new Variables(),
  };
  const faults = newFaults();
  const calls = new Map<string, number>();

  function react(question: Question) {
    const operation = operationOf(question, [workspace, variableSet]);
    if (operation !== undefined) calls.set(operation.name, (calls.get(operation.name) ?? 0) + 1);
    const given = String(question.headers['authorization'] ?? '').replace(/^Bearer /, '');
    const run = (): Answer => {
      if (given !== token && given !== readerToken) return unauthorized;
      return operation === undefined ? notFound : serve(operation, question, given === token);
    };
    return meet(faults.take({ writes: question.method !== 'GET' }), run, answerTo);
  }

  const { react: reactHttp } = restExchange('http', 'x-request-id', react);
  const served = await serveHttp<Answer>(createServer, port, {
    react: reactHttp,
    send: (response, { status, headers, body }) => {
      const type = body === undefined ? {} : { 'content-type': 'application/vnd.api+json; charset=utf-8' };
      response.writeHead(status, { 'x-request-id': randomUUID(), ...signature, ...headers, ...type });
      response.end(body === undefined ? undefined : JSON.stringify(body));
    },
  });
  const url = `http://127.0.0.1:${served.port}`;
  const all = () => [workspace, variableSet].flatMap(({ variables }) => [...variables.byId.values()]);

  return {
    url,
    destination: {
      token,
      workspace_id: ids.workspace,
      endpoint: url,
      allowed_ipv4_addresses: ['127.0.0.0/8'],
      allowed_ports: [served.port],
    },
    byName: { organization_name: names.organization, workspace_name: names.workspace },
    variableSet: { variable_set_id: ids.variableSet },
    readerToken,
    objects: () => new Map(all().map(({ key, value }): [string, FakeObject] => [key, { value, tags: {} }])),
    seed: (key, value) => {
      for (const { id, key: known } of workspace.variables.byId.values()) {
        if (known === key) workspace.variables.byId.delete(id);
      }
      add(workspace, { key, value });
    },
    change: (key, value) => void add(workspace, { key, value }),
    add: (draft, where = 'workspace') => add(where === 'workspace' ? workspace : variableSet, draft),
    variables: all,
    remakeWorkspace() {
      workspace = newWorkspace(`${ids.workspace}Again`);
      return workspace.owner.id;
    },
    calls: () => calls,
    fail: (fault) => faults.set(fault),
    heal: faults.heal,
    limit: faults.limit,
    close: () => served.close(),
  };
}

const newWorkspace = (id: string): Place => ({
  owner: { type: 'workspaces', id, path: `/workspaces/${id}/vars` },
  variables: new Variables(),
  names,
});

/** Headers of each answer. */
const signature = { 'tfp-api-version': '2.6', 'x-ratelimit-limit': '30', 'x-ratelimit-remaining': '29' };

const unauthorized = refuse(401, 'unauthorized');

/** The host's own answer for a fault, or undefined when the fault sends no answer. */
function answerTo(fault: Fault): Answer | undefined {
  if (fault.kind === 'unavailable') return refuse(503, 'service unavailable');
  if (fault.kind === 'denied') return refuse(403, 'forbidden');
  if (fault.kind === 'credentials') return unauthorized;
  if (fault.kind !== 'throttle') return undefined;
  const reset = (fault.retryAfterSeconds ?? 1).toFixed(1);
  const answer = refuse(429, 'Too many requests', { detail: "You have exceeded the API's rate limit." });
  return { ...answer, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset } };
}

/** A change by hand: an existing variable gets the value and loses its description. */
function add({ variables }: Place, draft: Draft): StoredVariable {
  const { key = '', category = 'env' } = draft;
  const present = variables.find(key, category);
  const result =
    present === undefined
      ? variables.create({ category, ...draft })
      : variables.edit(present, { description: '', ...draft });
  if (!('id' in result)) throw new Error(`the stand-in refuses the variable ${key}: ${result.detail}`);
  return result;
}
