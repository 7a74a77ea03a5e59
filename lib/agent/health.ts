import { readFile, stat, writeFile } from 'node:fs/promises';

/** Longest silence of a healthy agent, in milliseconds. A waiting agent gets a byte or an answer every minute, a working one an answer every 3 s.
 * An answer that is lost is noticed after 75 s, and the next one may come a minute later. */
const silenceMsMax = 180_000;

/** What keeps runs from the agent and from each other: isolation, or else users of their own. */
export type Protection = 'isolation' | 'users' | 'none';

const texts: Readonly<Record<Protection, string>> = {
  isolation: 'runs are isolated\n',
  users: 'runs have users of their own, and are not isolated\n',
  none: 'runs are not isolated\n',
};

/**
 * Records in a file that the server has answered this agent. A file that cannot be written is no reason to stop work: the health check shows it.
 */
export async function recordAnswer(file: string | undefined, protection: Protection): Promise<void> {
  if (file !== undefined) await writeFile(file, texts[protection], { mode: 0o600 }).catch(() => {});
}

/** What the agent that writes this file says of its runs; undefined when it was not answered lately. */
export async function answerIn(file: string): Promise<string | undefined> {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined || Date.now() - found.mtimeMs >= silenceMsMax) return undefined;
  return readFile(file, 'utf8').catch(() => undefined);
}
