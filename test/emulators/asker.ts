import { MessagePort, workerData } from 'node:worker_threads';
import type { Question } from './blocking.ts';

// The thread behind `blocking.ts`: asks what comes in, and rings when the answer is there.
const { bell, port }: { readonly bell: Int32Array; readonly port: unknown } = workerData;
if (!(port instanceof MessagePort)) throw new TypeError('a port is needed');

port.on('message', async ({ url, ...options }: Question) => {
  port.postMessage(await ask(url, options));
  Atomics.store(bell, 0, 1);
  Atomics.notify(bell, 0);
});

async function ask(url: string, options: Omit<Question, 'url'>) {
  try {
    const response = await fetch(url, options);
    return { ok: response.ok, text: await response.text() };
  } catch (error) {
    return { ok: false, text: String(error) };
  }
}
