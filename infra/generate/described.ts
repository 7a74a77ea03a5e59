import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DestinationDefinition } from '#destinations/contract.ts';
import type { DestinationFacts } from '#destinations/facts.ts';
import { definitions } from '#destinations/index.ts';
import { loadFacts } from '#destinations/load.ts';

/** A destination type with everything that files are generated from. */
export interface Described {
  readonly type: string;
  readonly definition: DestinationDefinition;
  readonly facts: DestinationFacts;
  /** The external system as its provider calls it: the heading of the type's page. */
  readonly system: string;
}

/**
 * The types, in the order of the list.
 * @throws Error if a type has no page, or its page has no heading
 */
export const describeTypes = (root: string): Promise<readonly Described[]> =>
  Promise.all(
    definitions.map(async (definition) => {
      const { type } = definition;
      return { type, definition, facts: await loadFacts(type), system: await systemOf(root, type) };
    }),
  );

async function systemOf(root: string, type: string): Promise<string> {
  const page = `docs/destinations/${type}.md`;
  const [heading = ''] = (await readFile(join(root, page), 'utf8')).split('\n');
  const start = `# \`${type}\`: `;
  if (!heading.startsWith(start)) throw new Error(`${page} does not begin with "${start}" and the system's name`);
  return heading.slice(start.length);
}
