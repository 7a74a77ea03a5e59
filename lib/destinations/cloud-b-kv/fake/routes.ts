import { type Answer, badParameter, type Question, type Reaction } from './answer.ts';
import { type Faults, faultAnswer } from './faults.ts';
import type { Authority } from './login.ts';
import { deletedOperations, type Operation, secretOperations } from './operations.ts';
import type { Vault } from './vault.ts';

/** Versions of the API that the service has; others are refused. */
const apiVersions = ['7.0', '7.1', '7.2', '7.3', '7.4', '7.5', '7.6', '2025-07-01', '2026-04-01'];

/** The REST API of the vault: https://learn.microsoft.com/rest/api/keyvault/secrets/operation-groups */
export function secretRoutes(vault: Vault, authority: Authority, faults: Faults, count: (operation: string) => void) {
  return (question: Question): Reaction => {
    const refused = authority.refuse(question);
    if (refused !== undefined) return refused;
    if (!apiVersions.includes(question.query.get('api-version') ?? '')) return badParameter('api-version is not known');
    const operation = find(question);
    if (operation === undefined) return { status: 405 };
    count(operation.name);
    return react(question, operation);
  };

  function react(question: Question, operation: Operation): Reaction {
    const name = question.path[1] ?? '';
    const run = (): Answer => (isName(name) ? operation.run(vault, name, question) : invalidName(name));
    // Only a call that changes something can lose the answer to a change.
    if (faults.kind() === 'lost-answer' && !operation.writes) return run();
    const fault = faults.take();
    if (fault === undefined) return run();
    if (fault.kind === 'lost-answer') run();
    return faultAnswer(fault) ?? (fault.kind === 'hang' ? 'hang' : 'reset');
  }
}

const isName = (name: string): boolean => /^[0-9a-zA-Z-]{1,127}$/.test(name);
const invalidName = (name: string): Answer => badParameter(`The request URI contains an invalid name: ${name}`);

function find({ method, path }: Question): Operation | undefined {
  const [root, name = '', part] = path;
  if (name === '' && root === 'secrets') return undefined;
  if (root === 'secrets') return secretOperations[`${method} ${isAction(part) ? part : ''}`.trim()];
  return root === 'deletedsecrets' ? deletedOperations[`${method} ${part ?? ''}`.trim()] : undefined;
}

// The third segment of other calls is a version.
const isAction = (part: string | undefined): part is string => part === 'versions';
