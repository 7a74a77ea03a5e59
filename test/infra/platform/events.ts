import type { Message } from '@aws-sdk/client-sqs';

const account = '123456789012';
const region = 'eu-central-1';

/** A request as an HTTP API passes it on (payload format 2.0). */
export function httpEvent(method: string, path: string, token?: string, body?: unknown): object {
  const url = new URL(path, 'https://api.example');
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: url.pathname,
    rawQueryString: url.search.slice(1),
    headers: {
      accept: '*/*',
      host: 'abcdefghij.execute-api.eu-central-1.amazonaws.com',
      'x-amzn-trace-id': 'Root=1-5e6722a7-cc56xmpl46db7ae02d4da47e',
      'x-forwarded-for': '192.0.2.1',
      'x-forwarded-port': '443',
      'x-forwarded-proto': 'https',
      ...(token === undefined ? {} : { 'x-service-token': token }),
      ...(body === undefined ? {} : { 'content-type': type }),
    },
    requestContext: {
      accountId: account,
      apiId: 'abcdefghij',
      domainName: 'abcdefghij.execute-api.eu-central-1.amazonaws.com',
      domainPrefix: 'abcdefghij',
      http: { method, path: url.pathname, protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'test' },
      requestId: 'JKJaXmPLvHcESHA=',
      routeKey: '$default',
      stage: '$default',
      time: '10/Mar/2026:05:16:23 +0000',
      timeEpoch: 1_773_119_783_000,
    },
    ...sent,
    isBase64Encoded: false,
  };
}

/** A batch of messages as the queue passes it on. */
export function sqsEvent(type: string, messages: readonly Message[]): object {
  return {
    Records: messages.map((message) => ({
      messageId: message.MessageId,
      receiptHandle: message.ReceiptHandle,
      body: message.Body,
      attributes: {
        ApproximateReceiveCount: '1',
        SentTimestamp: '1773119783000',
        SenderId: 'AIDAIENQZJOLO23YVJ4VO',
        ApproximateFirstReceiveTimestamp: '1773119783001',
      },
      messageAttributes: {},
      md5OfBody: message.MD5OfBody,
      eventSource: 'aws:sqs',
      eventSourceARN: `arn:aws:sqs:${region}:${account}:doorbell-${type}`,
      awsRegion: region,
    })),
  };
}

/** A tick of a schedule without an input. */
export const scheduledEvent = (name: string): object => ({
  version: '0',
  id: '53dc4d37-cffa-4f76-80c9-8b7d4a4d2eaa',
  'detail-type': 'Scheduled Event',
  source: 'aws.events',
  account,
  time: '2026-03-10T05:16:00Z',
  region,
  resources: [`arn:aws:events:${region}:${account}:rule/keyferry-${name}`],
  detail: {},
});
