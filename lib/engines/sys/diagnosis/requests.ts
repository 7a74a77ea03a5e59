import { operation, type Row } from '../../../path/contract/row.ts';
import type { DiagnosisParts } from './parts.ts';

/** `sys/in-flight-req`: the requests that the process which answers is at, this one among them. */
export const requestsRow = ({ requests }: Pick<DiagnosisParts, 'requests'>): Row => ({
  pattern: 'in-flight-req',
  help: 'The requests that the process which answers has begun and not answered yet.',
  operations: {
    read: operation(
      {},
      {
        summary: 'Show the requests.',
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
