import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '#core/clock.ts';

/** The files that the orchestrator mounts into the pod of the server. Undefined when a file does not exist. */
export interface LocalAccount {
  /** Token of the server's own service account. */
  token(): Promise<string | undefined>;
  /** PEM certificates of the orchestrator's API. */
  caCertificates(): Promise<string | undefined>;
}

/** Reads the files again from time to time, since the orchestrator replaces them. */
const tokenMs = 60_000;
const caCertificatesMs = 3_600_000;

export function openLocalAccount(directory: string, clock: Clock): LocalAccount {
  return {
    token: reread([directory, 'token'], tokenMs, clock),
    caCertificates: reread([directory, 'ca.crt'], caCertificatesMs, clock),
  };
}

/** The content of a file, which is read again after `ageMsMax`. A missing file is looked for each time. */
function reread(file: readonly [string, string], ageMsMax: number, clock: Clock): () => Promise<string | undefined> {
  let known: { readonly text: string; readonly at: number } | undefined;
  return async () => {
    const now = clock.now().getTime();
    if (known !== undefined && Math.abs(now - known.at) < ageMsMax) return known.text;
    const text = await readFile(join(...file), 'utf8').catch(() => undefined);
    known = text === undefined || text.trim() === '' ? undefined : { text: text.trim(), at: now };
    return known?.text;
  };
}
