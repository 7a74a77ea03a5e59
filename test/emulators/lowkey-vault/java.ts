import { run } from '../install/install.ts';
import { Unavailable } from '../trials/trial.ts';

/** @throws Unavailable when the Java on PATH is older than the release `feature`, such as 25 */
export async function requireJava(feature: number, what: string): Promise<number> {
  const present = javaFeature(await run('java', ['-version'], { from: 'stderr' }));
  if (present !== undefined && present >= feature) return present;
  const found = present === undefined ? 'java -version shows no version' : `this machine has ${present}`;
  throw new Unavailable(`${what} needs Java ${feature} or newer, ${found}`);
}

/** The feature release in the output of `java -version`: 8 for "1.8.0_392", 25 for "25.0.1" and "25-ea". */
export function javaFeature(text: string): number | undefined {
  const [, first, second] = /\bversion "(\d+)(?:\.(\d+))?/.exec(text) ?? [];
  const feature = first === '1' ? second : first;
  return feature === undefined ? undefined : Number(feature);
}
