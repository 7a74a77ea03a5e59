import type { Described } from './described.ts';

/** The workers of docker-compose.yml share one network namespace, so each has its own port for metrics. */
const firstPort = 9_401;

export const composeWorkers = (types: readonly Described[]): string =>
  types.map(({ type }, index) => composeWorker(type, firstPort + index)).join('\n\n');

const composeWorker = (type: string, port: number): string => `  worker-${type}:
    <<: *worker
    command: ["infra/commands/worker.ts", "--type", "${type}"]
    environment:
      <<: [*settings, *metrics]
      KEYFERRY_METRICS_PORT: "${port}"`;

/** Their addresses for Prometheus, one per line, so that no line grows with their number. */
export const scrapeTargets = (types: readonly Described[]): string =>
  types.map((_type, index) => `      - targets: ["stand-ins:${firstPort + index}"]`).join('\n');

/** A manifest with the placeholder `<type>`. */
export const kubernetesWorker = (template: string, type: string): string =>
  `# Written by "npm run generate" from infra/generate/worker.yml.\n${template.replaceAll('<type>', type)}`;
