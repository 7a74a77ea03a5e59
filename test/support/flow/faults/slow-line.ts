import { connect, createServer } from 'node:net';
import type { Fake } from '#destinations/fake.ts';

export interface SlowLine {
  /** Fields of a destination that goes through this line. */
  readonly destination: Readonly<Record<string, unknown>>;
  close(): Promise<void>;
}

/** A proxy to a stand-in that delays every piece of an answer by this many milliseconds. */
export async function startSlowLine(fake: Fake, delayMs: number): Promise<SlowLine> {
  const { protocol, port: farPort } = new URL(fake.url);
  const line = createServer((near) => {
    const far = connect(Number(farPort), '127.0.0.1');
    near.pipe(far);
    far.on('data', (piece) => setTimeout(() => near.writable && near.write(piece), delayMs));
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => line.listen(0, '127.0.0.1', resolve));
  const address = line.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    destination: { ...fake.destination, endpoint: `${protocol}//127.0.0.1:${port}`, allowed_ports: [port] },
    close: () => new Promise((resolve) => line.close(() => resolve())),
  };
}
