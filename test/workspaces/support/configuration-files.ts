import { gunzipSync } from 'node:zlib';
import { extract } from 'tar-stream';
import type { WorkspaceGround } from './ground.ts';

/** The files of a configuration version, by their paths. */
export async function configurationFiles(
  { service }: WorkspaceGround,
  id: string,
): Promise<Readonly<Record<string, string>>> {
  const answer = await fetch(`${service.address}/api/v2/configuration-versions/${id}/download`, {
    headers: { authorization: `Bearer ${service.rootToken}` },
  });
  const files: Record<string, string> = {};
  const entries = extract();
  entries.end(gunzipSync(Buffer.from(await answer.arrayBuffer())));
  for await (const entry of entries) {
    let text = '';
    for await (const piece of entry) text += String(piece);
    if (entry.header.type === 'file') files[entry.header.name] = text;
  }
  return files;
}
