import { arch, cpus, freemem, hostname, loadavg, platform, release, totalmem, uptime } from 'node:os';
import { operation, type Row } from '#path/contract/row.ts';
import type { DiagnosisParts } from './parts.ts';

/** `sys/host-info`: the machine that the answering process runs on. */
export const hostRow: Row = {
  pattern: 'host-info',
  help: 'Shows the processor, memory and operating system of the answering process.',
  operations: {
    read: operation(
      {},
      { summary: 'Show the host of the process', run: async () => ({ data: hostInfo(), flat: true }) },
    ),
  },
};

function hostInfo(): object {
  const processors = cpus();
  const [total, available] = [totalmem(), freemem()];
  const [load1, load5, load15] = loadavg();
  return {
    timestamp: new Date().toISOString(),
    host: {
      hostname: hostname(),
      uptime: Math.floor(uptime()),
      os: platform(),
      platform: platform(),
      kernelVersion: release(),
      kernelArch: arch(),
    },
    cpu: processors.map(({ model, speed }, cpu) => ({ cpu, modelName: model, mhz: speed })),
    // In seconds, as in all services of the API family.
    cpu_times: processors.map(({ times }, index) => ({
      cpu: `cpu${index}`,
      user: times.user / 1_000,
      system: times.sys / 1_000,
      idle: times.idle / 1_000,
      nice: times.nice / 1_000,
      irq: times.irq / 1_000,
    })),
    memory: { total, available, used: total - available, usedPercent: (100 * (total - available)) / total },
    load: { load1, load5, load15 },
    disk: [],
  };
}

/** `sys/in-flight-req`: the requests in progress in the answering process, including this one. */
export const requestsRow = ({ requests }: Pick<DiagnosisParts, 'requests'>): Row => ({
  pattern: 'in-flight-req',
  help: 'Shows the requests in flight in the answering process.',
  operations: {
    read: operation(
      {},
      {
        summary: 'Show the requests in flight',
        run: async () => ({
          data: Object.fromEntries(
            requests().map(({ id, method, path, remoteAddress, startedAt }) => [
              id,
              {
                start_time: startedAt.toISOString(),
                client_remote_address: remoteAddress,
                request_path: path,
                request_method: method,
                client_id: '',
              },
            ]),
          ),
          flat: true,
        }),
      },
    ),
  },
});
