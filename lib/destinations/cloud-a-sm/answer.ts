// Beyond the usual files: the SDK takes answers of something else for those of the service, so each is checked behind it.
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { StrangeAnswer } from '../../network/strange-answer.ts';

/** What each operation that we use answers, by the API reference. Tagging answers nothing. */
const answered: Readonly<Record<string, readonly ('arn' | 'name' | 'version')[]>> = {
  CreateSecretCommand: ['arn', 'name', 'version'],
  PutSecretValueCommand: ['arn', 'name', 'version'],
  DescribeSecretCommand: ['arn', 'name'],
  UpdateSecretCommand: ['arn', 'name'],
  RestoreSecretCommand: ['arn', 'name'],
  DeleteSecretCommand: ['arn', 'name'],
  ReplicateSecretToRegionsCommand: ['arn'],
  RemoveRegionsFromReplicationCommand: ['arn'],
};

/** A success has to speak of the secret that was asked for. The SDK takes any JSON for an answer, and no text at all for an empty one. */
export function refuseStrangers(sdk: SecretsManagerClient): void {
  sdk.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        const result = await next(args);
        const problem = problemOf(answered[commandName] ?? [], args.input, result.output);
        if (problem !== undefined) throw new StrangeAnswer(problem);
        return result;
      },
    { step: 'initialize', name: 'keyferryAnswer' },
  );
}

function problemOf(members: readonly string[], input: object, output: object): string | undefined {
  const answered = (member: string): unknown => Reflect.get(output, member);
  const asked = (member: string): unknown => Reflect.get(input, member);
  if (members.includes('arn') && typeof answered('ARN') !== 'string') return 'it names no secret';
  if (members.includes('name') && answered('Name') !== (asked('SecretId') ?? asked('Name')))
    return 'it names another secret';
  const isVersion = typeof answered('VersionId') === 'string' && answered('VersionId') === asked('ClientRequestToken');
  return members.includes('version') && !isVersion ? 'it names another version' : undefined;
}
