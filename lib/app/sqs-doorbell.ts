import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Doorbell } from '#queue/contract.ts';

/** Short, because the request that rings waits for it. */
const ringMsMax = 2_000;
const connectMsMax = 1_000;
const attemptsMax = 2;
const secondMs = 1_000;

/**
 * Rings by sending a message to the SQS queue of the type. A type without a queue has workers that always listen. The address of
 * a queue also gives the endpoint to call, so an emulator needs no other setting.
 */
export function sqsDoorbell(queues: Readonly<Record<string, string>>): Doorbell & { close(): void } {
  const client = new SQSClient({
    ...endpointOf(Object.values(queues)),
    maxAttempts: attemptsMax,
    requestHandler: { connectionTimeout: connectMsMax, requestTimeout: ringMsMax },
  });
  return {
    async ring(type, afterMs = 0) {
      const url = queues[type];
      if (url === undefined) return;
      const message = { QueueUrl: url, MessageBody: type, DelaySeconds: Math.ceil(afterMs / secondMs) };
      await client.send(new SendMessageCommand(message), { abortSignal: AbortSignal.timeout(ringMsMax) });
    },
    close: () => client.destroy(),
  };
}

/** For `https://sqs.<region>.amazonaws.com/<account>/<name>`. Other addresses use the region of the environment. */
function endpointOf([url]: readonly string[]) {
  if (url === undefined) return {};
  const { hostname, origin } = new URL(url);
  const region = /^sqs\.([a-z0-9-]+)\.amazonaws\./.exec(hostname)?.[1];
  return { endpoint: origin, ...(region === undefined ? {} : { region }) };
}
