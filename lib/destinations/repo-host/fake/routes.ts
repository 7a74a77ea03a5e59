import { randomBase62 } from '#core/ids.ts';
import { type Answer, json, notFound } from './answer.ts';
import { refuseJwt, refuseToken } from './authentication.ts';
import type { Container } from './container.ts';
import { type Host, hostNow, type Repository } from './host.ts';
import { listSecrets, putSecret, readPublicKey, readSecret, removeSecret } from './secret-routes.ts';

export interface Question {
  readonly method: string;
  /** Path segments, decoded. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  readonly authorization: string;
  readonly body: unknown;
}

/** A matched path: its name in `calls()`, and its answer. */
export interface Route {
  readonly operation: string;
  readonly writes: boolean;
  answer(): Answer;
}

const tokenLifeMs = 60 * 60_000;

/** Finds the route of a request. Unknown paths get 404, as at the host. */
export function route(host: Host, question: Question): Route {
  const [first, second, third, fourth, ...rest] = question.path;
  if (first === 'app') return appRoute(host, question);
  const found = findContainer(host, [first, second, third, fourth, ...rest]);
  if (found !== undefined) return secretRoute(host, question, found);
  if (first === 'repos' && third !== undefined && fourth === undefined)
    return repositoryRoute(host, question, second, third);
  return checked(host, question, 'unknown', () => notFound);
}

interface Found {
  readonly container: Container | undefined;
  readonly organization: string | undefined;
  /** What follows `secrets`. */
  readonly rest: readonly string[];
}

function findContainer(host: Host, path: readonly (string | undefined)[]): Found | undefined {
  const [kind, owner = '', ...tail] = path.filter((segment) => segment !== undefined);
  if (kind === 'orgs' && tail[0] === 'actions' && tail[1] === 'secrets') {
    return { container: host.organizations.get(owner), organization: owner, rest: tail.slice(2) };
  }
  if (kind !== 'repos') return undefined;
  const repository = host.repositories.get(`${owner}/${tail[0] ?? ''}`);
  if (tail[1] === 'actions' && tail[2] === 'secrets') {
    return { container: repository, organization: undefined, rest: tail.slice(3) };
  }
  if (tail[1] !== 'environments' || tail[3] !== 'secrets') return undefined;
  return { container: repository?.environments.get(tail[2] ?? ''), organization: undefined, rest: tail.slice(4) };
}

function secretRoute(host: Host, question: Question, { container, organization, rest }: Found): Route {
  const [name, sub] = rest;
  const make = (operation: string, answer: (container: Container) => Answer) =>
    checked(host, question, operation, () => (container === undefined ? notFound : answer(container)));
  if (sub === 'repositories') return make('list-selected-repositories', (at) => listSelected(host, at, name ?? ''));
  if (name === undefined) return make('list-secrets', (at) => listSecrets(at, question.query));
  if (name === 'public-key') return make('get-public-key', readPublicKey);
  if (question.method === 'GET') return make('get-secret', (at) => readSecret(at, name));
  if (question.method === 'DELETE') return make('delete-secret', (at) => removeSecret(at, name));
  const repositoryIds = organization === undefined ? undefined : ownedBy(host, organization).map(({ id }) => id);
  const put = { name, body: question.body, now: hostNow(host), repositoryIds };
  return make('put-secret', (at) => (question.method === 'PUT' ? putSecret(at, put) : notFound));
}

const ownedBy = (host: Host, owner: string) => [...host.repositories.values()].filter((one) => one.owner === owner);

function listSelected(host: Host, { secrets }: Container, name: string): Answer {
  const selected = secrets.get(name.toUpperCase())?.visibility;
  if (selected === undefined) return notFound;
  const chosen = [...host.repositories.values()].filter(({ id }) => selected.selectedRepositoryIds.includes(id));
  return json({ total_count: chosen.length, repositories: chosen.map(shownRepository) });
}

const shownRepository = ({ id, owner, name }: Repository) => ({
  id,
  name,
  full_name: `${owner}/${name}`,
  owner: { login: owner },
  private: true,
});

function repositoryRoute(host: Host, question: Question, owner = '', name = ''): Route {
  const repository = host.repositories.get(`${owner}/${name}`);
  const answer = () => (repository === undefined ? notFound : json(shownRepository(repository)));
  return checked(host, question, 'get-repository', answer);
}

/** A request with a token. */
function checked(host: Host, { method, authorization }: Question, operation: string, answer: () => Answer): Route {
  const writes = method !== 'GET';
  return { operation, writes, answer: () => refuseToken(host, authorization) ?? answer() };
}

/** A request that the app signs itself. */
function appRoute(host: Host, { method, path, authorization }: Question): Route {
  const [, installations, id, tokens] = path;
  const make = (operation: string, answer: () => Answer): Route => ({
    operation,
    writes: method !== 'GET',
    answer: () => refuseJwt(host, authorization) ?? answer(),
  });
  if (installations === undefined) return make('get-app', () => json({ id: host.app.appId, slug: 'keyferry-sync' }));
  const known = installations === 'installations' && tokens === 'access_tokens' && method === 'POST';
  return make('create-access-token', () =>
    known && Number(id) === host.app.installationId ? newToken(host) : notFound,
  );
}

function newToken(host: Host): Answer {
  const token = `ghs_${randomBase62(36)}`;
  const endsAt = new Date(hostNow(host).getTime() + tokenLifeMs);
  host.installationTokens.set(token, endsAt);
  const permissions = { secrets: 'write', metadata: 'read' };
  return json({ token, expires_at: endsAt.toISOString(), permissions, repository_selection: 'all' }, 201);
}
