import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './files.ts';
import { outdatedFiles } from './outdated.ts';

/** `npm run generate`: brings what follows from the list of destinations and from the path table up to date. */
for (const { path, text } of await outdatedFiles()) {
  if (text === undefined) await rm(join(root, path));
  else await writeFile(join(root, path), text);
  process.stdout.write(`${text === undefined ? 'removed' : 'wrote'} ${path}\n`);
}
