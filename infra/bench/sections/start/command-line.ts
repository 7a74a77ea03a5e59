import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundleProgram } from '#infra/package/command-line/bundle.ts';
import type { Figure } from '../../measure/figure.ts';
import { addressed } from '../../measure/http-load.ts';
import { compare } from '../../measure/rounds.ts';
import type { Section } from '../../section.ts';

const startMsMax = 30_000;
/** How many times as long as bare Node a command may take that calls no server. */
const timesMax = 2;

/** The bundled program, from its start to its end. */
export const commandLineSection: Section = {
  name: 'command-line',
  title: 'Start of the command line; bare: node -e 0, and the same calls by node:http',
  async measure(bench) {
    const { stage, quick } = bench;
    const file = join(stage.folder, 'keyferry.cjs');
    await bundleProgram(file);
    await stage.write('secret/data/started', { data: { password: 'x' } });
    const api = await stage.start('api', addressed);
    try {
      const { address } = api.ready;
      const environment = { KEYFERRY_ADDR: address, KEYFERRY_TOKEN: stage.rootToken, XDG_CACHE_HOME: stage.folder };
      const bareCalls = callsOf(['sys/internal/ui/mounts/secret/started', 'secret/data/started']);
      const cases = [
        { line: ['--version'], bare: '0', isStart: true },
        { line: ['--help'], bare: '0', isStart: true },
        { line: ['kv', 'get', 'secret/started'], bare: bareCalls, isStart: false },
      ];
      const figures: Figure[] = [];
      for (const { line, bare, isStart } of cases) {
        const what = `keyferry ${line.join(' ')}`;
        bench.report(what);
        const { value, ...compared } = await compare(
          quick ? 5 : 21,
          startMsMax,
          () => timeOf([file, ...line], environment),
          () => timeOf(['-e', bare], environment),
        );
        figures.push({ what, value, unit: 'ms', compared });
        const target = isStart ? { target: { bound: timesMax } } : {};
        figures.push({ what: '  times the bare one', value: compared.ratio, unit: '', ...target });
      }
      return figures;
    } finally {
      await api.end();
    }
  },
};

async function timeOf(argv: readonly string[], environment: Readonly<Record<string, string>>): Promise<number> {
  const began = performance.now();
  await promisify(execFile)(process.execPath, argv, { env: environment, timeout: startMsMax });
  return performance.now() - began;
}

/** A program of Node alone that makes these calls, one after another. */
const callsOf = (paths: readonly string[]): string => `
  const { get } = require('node:http');
  const headers = { 'x-vault-token': process.env.KEYFERRY_TOKEN };
  const next = (paths) => paths.length > 0 && get(process.env.KEYFERRY_ADDR + '/v1/' + paths[0], { headers }, (reply) => {
    reply.resume().once('end', () => next(paths.slice(1)));
  });
  next(${JSON.stringify(paths)});`;
