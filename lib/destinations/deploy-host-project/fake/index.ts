import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Fake, FakeObject } from '../../fake.ts';
import { applyLate, newFaults } from '../../frame/fake/faults.ts';
import { send, strike } from './faults.ts';
import { type Draft, Project, type StoredVariable } from './project.ts';
import { type OperationName, operationOf, type Reply, type Request, refuse, serve } from './routes.ts';

const token = 'stand-in-deploy-host-token';
const projectId = 'prj_keyferry_stand_in';
const teamId = 'team_keyferry_stand_in';
const bodyBytesMax = 8 * 1024 * 1024;

/** The stand-in of this type, with more than the common methods. */
export interface DeployHostFake extends Fake {
  /** Adds a foreign variable with all its details. */
  add(draft: Draft): void;
  /** All variables. */
  variables(): readonly StoredVariable[];
}

/**
 * A stand-in for the deployment host's API of environment variables. It checks projects, teams and tokens, lists in pages, never
 * returns encrypted values, allows one variable of a name per environment and 64 KB per environment, upserts only for the same
 * environments, and may refuse some of several variables.
 */
export async function startFake({ port = 0 }: { readonly port?: number } = {}): Promise<DeployHostFake> {
  const project = new Project();
  const faults = newFaults();
  const calls = new Map<OperationName, number>();

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await read(incoming);
    const operation = operationOf(request);
    if (operation !== undefined) calls.set(operation.name, (calls.get(operation.name) ?? 0) + 1);
    const fault = faults.take({ writes: request.method !== 'GET' });
    const run = () =>
      refusalOf(request, incoming.headers.authorization) ??
      (operation && serve(operation.name, operation.id, request, project)) ??
      unknownPath;
    if (fault?.kind === 'late') applyLate(fault, run);
    if (strike(fault, response)) return;
    const reply = run();
    if (fault?.kind === 'lost-answer') response.destroy();
    else send(response, reply.status, reply.body);
  }

  const server = createServer((incoming, response) => {
    answer(incoming, response).catch(() => send(response, 400, unknownPath.body));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  const ownPort = typeof address === 'object' && address !== null ? address.port : port;
  const url = `http://127.0.0.1:${ownPort}`;

  return {
    url,
    destination: {
      access_token: token,
      project_id: projectId,
      team_id: teamId,
      deployment_environments: ['preview', 'production'],
      endpoint: url,
      allowed_ipv4_addresses: ['127.0.0.0/8'],
      allowed_ports: [ownPort],
    },
    objects: () => readable(project),
    seed: (key, value) => {
      for (const entry of project.variables.values()) if (entry.key === key) project.variables.delete(entry.id);
      seed(project, { key, value, target: ['preview', 'production'] });
    },
    change: (key, value) => seed(project, { key, value, target: ['preview', 'production'] }),
    add: (draft) => seed(project, draft),
    variables: () => [...project.variables.values()],
    calls: () => calls,
    fail: (fault) => faults.set(fault),
    heal: faults.heal,
    limit: faults.limit,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

const unknownPath: Reply = refuse(404, 'not_found', 'The path was not found');

function refusalOf({ url }: Request, authorization: string | undefined): Reply | undefined {
  if (authorization === undefined) return refuse(403, 'forbidden', 'Not authorized', { missingToken: true });
  if (authorization !== `Bearer ${token}`) return refuse(403, 'forbidden', 'Not authorized', { invalidToken: true });
  if (url.searchParams.get('teamId') !== teamId) return refuse(403, 'forbidden', 'Not authorized');
  const known = url.pathname.includes(`/projects/${projectId}/`);
  return known ? undefined : refuse(404, 'not_found', 'Project not found.');
}

async function read(incoming: IncomingMessage): Promise<Request> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming) {
    bytes += chunk.length;
    if (bytes > bodyBytesMax) throw new RangeError('the body is too large');
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString();
  const url = new URL(incoming.url ?? '/', 'http://stand-in');
  return { method: incoming.method ?? 'GET', url, body: text === '' ? undefined : JSON.parse(text) };
}

/** A change by hand: a variable for the same environments gets the value and loses its comment. */
function seed(project: Project, draft: Draft): void {
  const written = project.create(draft, true);
  if (!('id' in written)) throw new Error(`the stand-in refuses the variable ${draft.key}: ${written.message}`);
}

/** The variables of a production deployment, and those that only other environments have. */
function readable(project: Project): ReadonlyMap<string, FakeObject> {
  const entries = [...project.variables.values()].filter(({ gitBranch }) => gitBranch === undefined);
  const ranked = entries.toSorted((left, right) => rank(left) - rank(right));
  return new Map(ranked.map(({ key, value }) => [key, { value, tags: {} }]));
}

const rank = ({ target }: StoredVariable): number => Number(target.includes('production'));
