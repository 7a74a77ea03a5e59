import type { Fault } from '../../fake.ts';
import { type Faults, meet, type Reaction } from '../../frame/fake/faults.ts';
import type { Answer, Question } from '../../frame/fake/rest.ts';
import { invalid, notFound, problem } from './answer.ts';
import { type Authority, unauthenticated } from './login.ts';
import type { Operation, Project } from './project.ts';
import { secretOperations } from './secret-operations.ts';
import { versionOperations } from './version-operations.ts';

/** The REST API: https://cloud.google.com/secret-manager/docs/reference/rest */
export function secretRoutes(
  project: Project,
  authority: Authority,
  faults: Faults,
  count: (operation: string) => void,
) {
  return (question: Question): Reaction<Answer> => {
    const refused = authority.refuse(question);
    if (refused !== undefined) return refused;
    const operation = find(question);
    if (operation === undefined) return notFound('Requested entity');
    count(operation.name);
    return meet(faults.take({ writes: operation.writes }), () => answer(operation, question), faultAnswer);
  };

  function answer(operation: Operation, question: Question): Answer {
    const [, , id] = question.path;
    // The answer does not show whether the project exists.
    if (id !== project.id) return problem('PERMISSION_DENIED', `Permission denied on resource project ${id}.`);
    const name = question.path[4]?.split(':')[0] ?? question.query.get('secretId') ?? '';
    if (operation === listing) return operation.run(project, name, question);
    if (!/^[0-9A-Za-z_-]{1,255}$/.test(name))
      return invalid(`The provided Secret ID [${name}] does not match the expected format.`);
    return operation.run(project, name, question);
  }
}

const listing = secretOperations['GET all'];

/** `v1/projects/{project}/secrets[/{secret}[:action][/versions[/{version}[:action]]]]` */
function find({ method, path }: Question): Operation | undefined {
  const [api, projects, , secrets, secret, versions, version] = path;
  if (api !== 'v1' || projects !== 'projects' || secrets !== 'secrets' || path.length > 7) return undefined;
  const action = path.at(-1)?.split(':')[1];
  const key = action === undefined ? method : `${method} :${action}`;
  if (versions === undefined) return secretOperations[secret === undefined ? `${method} all` : key];
  if (versions !== 'versions') return undefined;
  return versionOperations[version === undefined ? `${method} all` : key];
}

/** The service's own answer for a fault, or undefined when the fault sends no answer. */
function faultAnswer({ kind, retryAfterSeconds = 10 }: Fault): Answer | undefined {
  if (kind === 'throttle') {
    const retry = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${retryAfterSeconds}s` };
    const info = {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: 'RATE_LIMIT_EXCEEDED',
      domain: 'googleapis.com',
    };
    return problem('RESOURCE_EXHAUSTED', 'Quota exceeded for quota metric Write requests.', [info, retry]);
  }
  if (kind === 'unavailable') return problem('UNAVAILABLE', 'The service is currently unavailable.');
  if (kind === 'denied') return problem('PERMISSION_DENIED', 'Permission denied on resource (or it may not exist).');
  return kind === 'credentials' ? unauthenticated : undefined;
}
