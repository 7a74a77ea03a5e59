import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { z } from 'zod';
import type { Sent, Upstream } from '../relay/forward.ts';

export interface Question extends Sent {
  readonly upstream: Upstream;
}

/** Synchronous HTTP: `objects()` of a stand-in is synchronous, but an emulator is in another process. */
export interface BlockingHttp {
  /** The body of a successful answer. @throws Error for any other answer, or none in time */
  ask(question: Question): string;
  close(): Promise<void>;
}

const answerMsMax = 20_000;
const answer = z.object({ ok: z.boolean(), text: z.string() });

export function openBlockingHttp(): BlockingHttp {
  const { port1: ours, port2: theirs } = new MessageChannel();
  const bell = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(new URL('asker.ts', import.meta.url), {
    workerData: { bell, port: theirs },
    transferList: [theirs],
  });
  return {
    ask(question) {
      Atomics.store(bell, 0, 0);
      ours.postMessage(question);
      Atomics.wait(bell, 0, 0, answerMsMax);
      const { ok, text } = answer.parse(receiveMessageOnPort(ours)?.message);
      if (ok) return text;
      throw new Error(`${question.method} ${question.upstream.url}${question.path}: ${text}`);
    },
    async close() {
      ours.close();
      await worker.terminate();
    },
  };
}
