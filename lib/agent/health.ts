import { stat, writeFile } from 'node:fs/promises';

/** Longest silence of a healthy agent, in milliseconds. A waiting agent is answered every minute, a working one every 3 s. An answer that
 * is lost is noticed after 75 s, and the next one may come a minute later. */
const silenceMsMax = 180_000;

/**
 * Records in a file that the server has answered this agent. A file that cannot be written is no reason to stop work: the health check shows it.
 */
export async function recordAnswer(file: string | undefined): Promise<void> {
  if (file !== undefined) await writeFile(file, '\n', { mode: 0o600 }).catch(() => {});
}

/** Whether the agent that writes this file was answered lately. */
export async function wasAnswered(file: string): Promise<boolean> {
  return stat(file).then(
    ({ mtimeMs }) => Date.now() - mtimeMs < silenceMsMax,
    () => false,
  );
}
