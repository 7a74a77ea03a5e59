import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A program that stands in for the engine: it records when it began, and plans nothing. */
export interface StandIn {
  /** The folder of the program. */
  readonly folder: string;
  /** When the engine began, in milliseconds of the epoch, by runs; several times for a run that began more than once. */
  begun(): Promise<ReadonlyMap<string, readonly number[]>>;
}

/** The file in a configuration that makes a plan write this many bytes to its log. */
export const logBytesFile = 'log-bytes';

const script = (record: string): string => `#!/bin/sh
case $1 in
  version) echo '{"terraform_version":"1.11.4"}' ;;
  init) echo "$TFC_RUN_ID $(date +%s%3N)" >> '${record}' ;;
  plan)
    if [ -f ${logBytesFile} ]; then yes 'a line of a log that has the length of a usual line of a plan' | head -c "$(cat ${logBytesFile})"; fi
    echo planned > keyferry.tfplan ;;
  show) echo '{"format_version":"1.2","resource_changes":[]}' ;;
  providers) echo '{"format_version":"1.0"}' ;;
esac
exit 0
`;

export async function makeStandIn(parent: string): Promise<StandIn> {
  const folder = join(parent, 'engine');
  const record = join(folder, 'begun');
  await mkdir(folder, { recursive: true });
  await writeFile(record, '');
  await writeFile(join(folder, 'terraform'), script(record));
  await chmod(join(folder, 'terraform'), 0o755);
  return {
    folder,
    async begun() {
      const lines = (await readFile(record, 'utf8')).split('\n').filter((line) => line !== '');
      const pairs = lines.map((line) => line.split(' ') as [string, string]);
      return new Map(
        [...Map.groupBy(pairs, ([run]) => run)].map(([run, times]) => [run, times.map(([, at]) => Number(at))]),
      );
    },
  };
}
