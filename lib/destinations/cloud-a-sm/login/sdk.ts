// Beyond the usual files: two clients of the SDK share settings, and the SDK accepts answers of any other server as its own.
import { Readable } from 'node:stream';
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { boundedStream } from '#network/answer-size.ts';
import type { GuardedAgents } from '#network/connection/agents.ts';
import { StrangeAnswer } from '#network/strange-answer.ts';
import type { Connection } from '../fields/fields.ts';

export type ClientSettings = ReturnType<typeof settingsOf>;

/**
 * Settings that the SDK's clients of one connection (Secrets Manager, STS) share. The address is not among them, because a
 * private endpoint serves one service only.
 */
export function settingsOf({ region }: Connection, agents: GuardedAgents, requestMs: number) {
  return {
    ...(region !== undefined && { region }),
    requestHandler: new BoundedHandler({
      httpAgent: agents.http,
      httpsAgent: agents.https,
      requestTimeout: requestMs,
      // Without this the SDK only warns.
      throwOnRequestTimeout: true,
    }),
    // The sync does the retries. The environment could set another number, or the adaptive mode, which adds its own waits.
    maxAttempts: 1,
    retryMode: 'standard',
    // "auto", which the environment can set, asks the instance metadata for the region, past our agents.
    defaultsMode: 'standard' as const,
  };
}

/** Bounds the size of answers. The handler decompresses nothing, so it counts the bytes that arrived. */
class BoundedHandler extends NodeHttpHandler {
  override async handle(...request: Parameters<NodeHttpHandler['handle']>) {
    const { response } = await super.handle(...request);
    if (response.body instanceof Readable) response.body = boundedStream(response.body);
    return { response };
  }
}

/** The members that the API reference gives for the answer to each operation that we use. Tagging has an empty answer. */
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

/** Refuses a successful answer that is not about the requested secret: the SDK accepts any JSON, and an empty body too. */
export function checkAnswers(sdk: SecretsManagerClient): void {
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
  const secret = asked('SecretId') ?? asked('Name');
  const isSecret = secret === answered('Name') || secret === answered('ARN');
  if (members.includes('name') && !isSecret) return 'it names another secret';
  const isVersion = typeof answered('VersionId') === 'string' && answered('VersionId') === asked('ClientRequestToken');
  return members.includes('version') && !isVersion ? 'it names another version' : undefined;
}
