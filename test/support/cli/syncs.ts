import { afterAll, beforeAll, expect } from 'vitest';
import type { OpenService } from '../flow/open-service.ts';
import { shortly } from '../redis/wait.ts';
import { type LineOptions, runLine } from './line.ts';

/** Called at the top of a test file: command lines against a service, whose batches go on in the background of the sweep. */
export function syncLines(service: OpenService) {
  let isOver = false;
  let sweeps: Promise<void> | undefined;
  beforeAll(() => {
    sweeps = (async () => {
      for (; !isOver; await shortly()) await service.sweep();
    })();
  });
  afterAll(async () => {
    isOver = true;
    await sweeps;
  });
  const line = (...argv: string[]) => lineWith({}, ...argv);
  const lineWith = (options: LineOptions, ...argv: string[]) =>
    runLine(argv, { address: service.address, token: service.rootToken, ...options });
  return {
    line,
    lineWith,
    /** A destination to which so many secrets are copied. */
    async destinationWith(secrets: number): Promise<string> {
      const name = await service.destination('cloud-a-sm');
      for (let count = 0; count < secrets; count += 1) {
        const secret = await service.secret({ a: 'b' });
        await service.set('cloud-a-sm', name, secret);
        expect((await line('wait', `secret/${secret}`)).code).toBe(0);
      }
      return name;
    },
    /** A destination where so many secrets have failed; the stand-in is healed. */
    async destinationWithFailed(secrets: number): Promise<string> {
      const name = await service.destination('cloud-a-sm');
      service.fake('cloud-a-sm').fail({ kind: 'denied' });
      for (let count = 0; count < secrets; count += 1) {
        const secret = await service.secret({ a: 'b' });
        await service.set('cloud-a-sm', name, secret);
        expect((await line('wait', `secret/${secret}`)).code).toBe(1);
      }
      service.fake('cloud-a-sm').heal();
      return name;
    },
  };
}

/** The rows of NDJSON. */
export const printedRows = (output: string) =>
  output.split('\n').flatMap((row) => (row === '' ? [] : [JSON.parse(row)]));
