import { join } from 'node:path';
import { openApi } from '#app.ts';
import { readConfig } from '#core/config.ts';
import { silentLog } from '#core/log/log.ts';
import { startServices } from '../../local/services.ts';
import { addressed, measureHttp } from '../measure/http-load.ts';
import { times } from '../measure/rounds.ts';
import type { Section } from '../section.ts';
import type { Stage } from '../stage.ts';

const secretCount = 1_000;
const data = { user: 'app', password: 'correct horse battery staple' };
/** Of the throughput without a device. */
const shareMin = 0.8;

/** The same server on two PostgreSQL servers; the first has an audit device. */
export const auditSection: Section = {
  name: 'audit',
  title: 'Reads of secrets with an audit device',
  async measure(bench) {
    const { stage } = bench;
    await times(secretCount, 32, (index) => stage.write(`secret/data/bench/${index}`, { data }));
    await stage.write('sys/audit/bench', { type: 'file', options: { file_path: join(stage.folder, 'audit.log') } });
    const audited = await stage.start('api', addressed);
    const without = await startServices(join(stage.folder, 'without'), { redisUrl: stage.redisUrl }, bench.report);
    const { databaseUrl } = without;
    const load = { method: 'GET', path: '/v1/secret/data/bench/', headers: { 'x-service-token': stage.rootToken } };
    try {
      await fillPlain(stage, databaseUrl);
      const plain = await stage.start('api', addressed, { databaseUrl });
      const figures = await measureHttp(bench, {
        count: secretCount,
        what: 'KV v2 reads with a file device; the same server without one',
        share: shareMin,
        ours: { server: audited, load },
        bare: { server: plain, load },
      });
      await plain.end();
      return figures;
    } finally {
      await audited.end();
      await without.stop();
    }
  },
};

/** The same secrets and the same root token. */
async function fillPlain({ environment, rootToken }: Stage, databaseUrl: string): Promise<void> {
  const config = readConfig({ ...environment, DATABASE_URL: databaseUrl });
  const api = await openApi({ config, log: silentLog });
  await api.prepareForDevelopment(rootToken);
  const headers = { 'x-service-token': rootToken };
  await times(secretCount, 32, async (index) => {
    const path = `/v1/secret/data/bench/${index}`;
    const { statusCode } = await api.inject({ method: 'POST', url: path, headers, payload: { data } });
    if (statusCode >= 300) throw new Error(`POST ${path}: ${statusCode}`);
  });
  await api.close();
}
