import { createServer } from 'node:http';
import { DeleteMessageBatchCommand, type Message, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { createRequestHandler } from 'local-aws-sqs';

/** An SQS on this machine, with a queue per type. */
export interface LocalSqs {
  /** The addresses of the queues, by type. */
  readonly queues: Readonly<Record<string, string>>;
  /** How often `SendMessage` was called. */
  sent(): number;
  /** The messages that are visible now. */
  receive(type: string): Promise<readonly Message[]>;
  remove(type: string, messages: readonly Message[]): Promise<void>;
  close(): Promise<void>;
}

const region = 'eu-central-1';
const accountId = '123456789012';

/** The variables that the SDK reads in the environment of a function. */
export const functionEnvironment = {
  AWS_REGION: region,
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
};

export async function localSqs(types: readonly string[]): Promise<LocalSqs> {
  let sent = 0;
  let handle: ReturnType<typeof createRequestHandler>['requestHandler'] | undefined;
  const server = createServer((request, response) => {
    if (String(request.headers['x-amz-target']).endsWith('.SendMessage')) sent += 1;
    void handle?.(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const named = types.map((type) => ({ QueueName: `doorbell-${type}` }));
  const options = { port: address.port, hostname: '127.0.0.1', region, accountId, queues: named };
  handle = createRequestHandler(options).requestHandler;
  const endpoint = `http://127.0.0.1:${address.port}`;
  const client = new SQSClient({ region, endpoint, credentials: { accessKeyId: 'local', secretAccessKey: 'local' } });
  const queueOf = (type: string) => `${endpoint}/${accountId}/doorbell-${type}`;
  return {
    queues: Object.fromEntries(types.map((type) => [type, queueOf(type)])),
    sent: () => sent,
    async receive(type) {
      const ask = { QueueUrl: queueOf(type), MaxNumberOfMessages: 10 };
      return (await client.send(new ReceiveMessageCommand(ask))).Messages ?? [];
    },
    async remove(type, messages) {
      if (messages.length === 0) return;
      const Entries = messages.map(({ MessageId, ReceiptHandle }) => ({ Id: MessageId, ReceiptHandle }));
      await client.send(new DeleteMessageBatchCommand({ QueueUrl: queueOf(type), Entries }));
    },
    async close() {
      client.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
