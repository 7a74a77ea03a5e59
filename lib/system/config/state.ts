import { systemLeases } from '#path/contract/mount.ts';
import { operation, type Row } from '#path/contract/row.ts';

/** The part of the configuration that may be shown, which contains no credentials. */
export interface ShownConfig {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly logLevel: string;
}

/** `sys/config/state/sanitized`. */
export const stateRow = ({ host, port, tls, logLevel }: ShownConfig): Row => ({
  pattern: 'config/state/sanitized',
  help: 'Shows the configuration of the process that answers, without anything sensitive.',
  operations: {
    read: operation(
      {},
      {
        summary: 'Show the configuration',
        rootNamespaceOnly: true,
        run: async () => ({
          data: {
            default_lease_ttl: systemLeases.default_lease_ttl,
            max_lease_ttl: systemLeases.max_lease_ttl,
            listeners: [{ type: 'tcp', config: { address: `${host}:${port}`, tls_disable: !tls } }],
            log_level: logLevel,
            storage: { type: 'postgresql' },
          },
        }),
      },
    ),
  },
});
