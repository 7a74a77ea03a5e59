import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { awaitReply, Cut } from '#agent/api/padded.ts';
import { Pool } from '#agent/api/pool.ts';
import { Refused } from '#agent/api/send.ts';
import { documentText, scriptedService } from './lost/scripted-service.ts';

const job = documentText('plan-x', { 'run-id': 'run-x', part: 'plan', token: 't' });
const failure = (status: number) => JSON.stringify({ errors: [{ status: String(status), title: 't', detail: 'd' }] });

/** A reply that waits a little: its pieces are sent one after the other. */
async function padded(response: ServerResponse, text: string): Promise<void> {
  response.writeHead(200);
  for (const piece of [' ', ' ', text]) {
    response.write(piece);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  response.end();
}

/** An agent whose service answers its requests for work one after the other; those without `padded` get 204. */
async function poolWith(...answers: readonly ((response: ServerResponse) => unknown)[]) {
  const left = [...answers];
  const asked: boolean[] = [];
  const { connection } = await scriptedService((_request, response, body) => {
    asked.push(body.includes('"padded":true'));
    if (asked.at(-1) === false) response.writeHead(204).end();
    else left.shift()?.(response);
  });
  const pool = new Pool(connection);
  let signs = 0;
  const take = () =>
    pool.take('agent-x', new AbortController().signal, () => {
      signs += 1;
    });
  return { take, asked, signs: () => signs };
}

test('a job comes after white space, each byte of which is a sign of the server', async () => {
  const { take, signs } = await poolWith((response) => padded(response, job));
  expect(await take()).toMatchObject({ id: 'plan-x', runId: 'run-x', part: 'plan' });
  expect(signs()).toBeGreaterThanOrEqual(1);
});

test('no job: a document without data, 204 of a server that does not know such waits, or an empty wait', async () => {
  const { take, asked } = await poolWith(
    (response) => padded(response, '{"data":null}'),
    (response) => response.writeHead(204).end(),
    (response) => response.writeHead(200).end(job),
  );
  expect([await take(), await take(), (await take())?.id]).toEqual([undefined, undefined, 'plan-x']);
  expect(asked).toEqual([true, true, true]);
});

test('a failure in the document counts as its status: 503 is asked again, 401 and 404 are not', async () => {
  const { take, asked } = await poolWith(
    (response) => padded(response, failure(503)),
    (response) => padded(response, job),
    (response) => padded(response, failure(401)),
    (response) => response.writeHead(404).end(failure(404)),
  );
  expect((await take())?.id).toBe('plan-x');
  for (const status of [401, 404]) {
    const refused = await take().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Refused);
    expect(refused).toMatchObject({ status, message: expect.stringContaining(': d') });
  }
  expect(asked.length).toBe(4);
});

const cut = (response: ServerResponse) => {
  response.writeHead(200);
  response.write(' ');
  setTimeout(() => response.destroy(), 20);
};

test('after two waits in a row that were cut off, the agent asks for short ones', async () => {
  const { take, asked } = await poolWith(
    cut,
    (response) => padded(response, '{"data":null}'),
    (response) => response.writeHead(504).end('gateway'),
    (response) => padded(response, '  '),
  );
  for (let at = 0; at < 6; at += 1) expect(await take()).toBeUndefined();
  expect(asked).toEqual([true, true, true, true, false, false]);
});

test('a wait without a sign is given up', async () => {
  const awaiting = { silenceMsMax: 50, onSign() {} };
  const never = (signal: AbortSignal) =>
    new Promise<Response>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  await expect(awaitReply(never, awaiting)).rejects.toBeInstanceOf(Cut);
  const begun = async (signal: AbortSignal) =>
    new Response(
      new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode(' '));
          signal.addEventListener('abort', () => controller.error(signal.reason));
        },
      }),
    );
  await expect(awaitReply(begun, awaiting)).rejects.toThrow('nothing arrived for 0.05 s');
});

test('an agent that is stopped waits no longer', async () => {
  const stopping = new AbortController();
  const { connection } = await scriptedService((_request, response) => {
    response.writeHead(200);
    response.write(' ');
    stopping.abort();
  });
  await expect(new Pool(connection).take('agent-x', stopping.signal)).rejects.toBeInstanceOf(Error);
});
