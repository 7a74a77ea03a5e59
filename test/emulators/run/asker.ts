import { MessagePort, workerData } from 'node:worker_threads';
import { forward } from '../relay/forward.ts';
import type { Question } from './blocking.ts';

// The thread of `blocking.ts`: sends the requests that it gets, and notifies when the answer has come.
const { bell, port }: { readonly bell: Int32Array; readonly port: unknown } = workerData;
if (!(port instanceof MessagePort)) throw new TypeError('a port is needed');

port.on('message', async (question: Question) => {
  port.postMessage(await ask(question));
  Atomics.store(bell, 0, 1);
  Atomics.notify(bell, 0);
});

async function ask({ upstream, ...sent }: Question) {
  try {
    const { status, body } = await forward(upstream, sent);
    return { ok: status >= 200 && status < 300, text: body.toString() };
  } catch (error) {
    return { ok: false, text: String(error) };
  }
}
