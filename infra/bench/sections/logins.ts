import { fillBareRows } from '../baseline/rows.ts';
import { groupsOfEntity } from '../logins/groups.ts';
import { costOfHashes } from '../logins/hash-time.ts';
import { approleLogins, jwtLogins, orchestratorLogins, userpassLogins } from '../logins/methods.ts';
import type { Figure } from '../measure/figure.ts';
import { addressed, measureHttp } from '../measure/http-load.ts';
import type { Bench, Section } from '../section.ts';

const share = 0.4;
const json = { 'content-type': 'application/json' };

/** Logins of each method, compared with a bare route that writes one row; both sides compute the hash of a password. */
export const loginsSection: Section = {
  name: 'logins',
  title: 'Logins over HTTP, an entity with many groups, passwords of unknown names',
  async measure(bench) {
    const { stage } = bench;
    await fillBareRows(stage.database, 1, '{}');
    const figures: Figure[] = [...(await groupsOfEntity(bench))];
    for (const prepare of [approleLogins, jwtLogins, orchestratorLogins, userpassLogins]) {
      figures.push(...(await compared(bench, prepare)));
    }
    return [...figures, ...(await costOfHashes(bench))];
  },
};

async function compared(bench: Bench, prepare: typeof approleLogins): Promise<readonly Figure[]> {
  const { what, baseline, path, count, body, bare, end } = await prepare(bench);
  const server = await bench.stage.start('api', addressed);
  const bareServer = await bench.stage.start('bare-api', addressed, { poolSize: 10 });
  try {
    return await measureHttp(bench, {
      what: `Logins by ${what}; bare Fastify: ${baseline}`,
      count,
      share,
      ours: { server, load: { method: 'POST', path: `/v1/auth/${path}`, headers: json, body } },
      bare: { server: bareServer, load: { method: 'POST', path: bare, headers: json, body } },
    });
  } finally {
    await Promise.all([server.end(), bareServer.end(), end?.()]);
  }
}
