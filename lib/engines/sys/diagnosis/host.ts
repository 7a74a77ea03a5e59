import { arch, cpus, freemem, hostname, loadavg, platform, release, totalmem, uptime } from 'node:os';
import { operation, type Row } from '../../../path/contract/row.ts';

/** `sys/host-info`: the machine that the answering process runs on. */
export const hostRow: Row = {
  pattern: 'host-info',
  help: 'Processor, memory and system of the machine that the process which answers runs on.',
  operations: {
    read: operation({}, { summary: 'Show the machine.', run: async () => ({ data: hostInfo(), flat: true }) }),
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
    // In seconds, as others of the API family tell them.
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
