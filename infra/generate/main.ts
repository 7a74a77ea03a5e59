import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../local/postgres/start.ts';
import { root } from './files.ts';
import { type Outdated, outdatedFiles } from './outdated.ts';

/** `npm run generate`: updates the files that are generated from the list of destinations, the path table and the migrations. */
for (const { path, text } of await outdated()) {
  if (text === undefined) await rm(join(root, path));
  else await writeFile(join(root, path), text);
  process.stdout.write(`${text === undefined ? 'removed' : 'wrote'} ${path}\n`);
}

/** With its own PostgreSQL, for the migrations. */
async function outdated(): Promise<readonly Outdated[]> {
  const folder = await mkdtemp(join(tmpdir(), 'keyferry-generate-'));
  const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), volatile: true });
  try {
    return await outdatedFiles(postgres.url);
  } finally {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
