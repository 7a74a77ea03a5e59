import { type Faults, meet, type Reaction } from '../../frame/fake/faults.ts';
import type { Answer, Question } from '../../frame/fake/rest.ts';
import { badParameter, faultAnswer } from './answer.ts';
import type { Authority } from './login.ts';
import { deletedOperations, listOperation, type Operation, secretOperations } from './operations.ts';
import type { Vault } from './vault.ts';

/** The API versions of the service; others are refused. */
const apiVersions = ['7.0', '7.1', '7.2', '7.3', '7.4', '7.5', '7.6', '2025-07-01', '2026-04-01'];

/** The REST API of the vault: https://learn.microsoft.com/rest/api/keyvault/secrets/operation-groups */
export function secretRoutes(vault: Vault, authority: Authority, faults: Faults, count: (operation: string) => void) {
  return (question: Question): Reaction<Answer> => {
    const refused = authority.refuse(question);
    if (refused !== undefined) return refused;
    if (!apiVersions.includes(question.query.get('api-version') ?? '')) return badParameter('api-version is not known');
    const operation = find(question);
    if (operation === undefined) return { status: 405 };
    count(operation.name);
    return react(question, operation);
  };

  function react(question: Question, operation: Operation): Reaction<Answer> {
    const name = question.path[1] ?? '';
    const run = (): Answer =>
      operation === listOperation || isName(name) ? operation.run(vault, name, question) : invalidName(name);
    return meet(faults.take({ writes: operation.writes }), run, faultAnswer);
  }
}

const isName = (name: string): boolean => /^[0-9a-zA-Z-]{1,127}$/.test(name);
const invalidName = (name: string): Answer => badParameter(`The request URI contains an invalid name: ${name}`);

function find({ method, path }: Question): Operation | undefined {
  const [root, name = '', part] = path;
  if (name === '' && root === 'secrets') return method === 'GET' ? listOperation : undefined;
  if (root === 'secrets') return secretOperations[`${method} ${isAction(part) ? part : ''}`.trim()];
  return root === 'deletedsecrets' ? deletedOperations[`${method} ${part ?? ''}`.trim()] : undefined;
}

// The third segment of other calls is a version.
const isAction = (part: string | undefined): part is string => part === 'versions';
