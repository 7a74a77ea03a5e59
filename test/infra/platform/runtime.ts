import { createRequire } from 'node:module';

/** The program that the platform starts for a function: loads its bundle and answers one event after the other. */
const bundle = process.argv[2] ?? '';

interface Call {
  readonly event: unknown;
  /** How long the call may take. */
  readonly timeoutMs: number;
}

type Handler = (event: unknown, context: object) => Promise<unknown>;

const { handler } = createRequire(import.meta.url)(bundle) as { readonly handler: Handler };

process.on('message', async ({ event, timeoutMs }: Call) => {
  const end = Date.now() + timeoutMs;
  const context = { functionVersion: '$LATEST', getRemainingTimeInMillis: () => end - Date.now() };
  // As in the cloud, events and results are JSON, and an error is reported as its message.
  const answer = await handler(event, context).then(
    (result) => ({ result }),
    (error: unknown) => ({ error: String(error) }),
  );
  process.send?.(answer);
});
