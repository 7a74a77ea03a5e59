import { accepted, operation, type Row } from '#path/contract/row.ts';
import type { TokenParts } from '../../token/parts.ts';
import { dropExpired } from './secret-ids-store.ts';

/** Rows of one step, and steps of one call. The sweep deletes the remaining expired secret ids. */
const stepSize = 1_000;
const stepsMax = 100;

/** `tidy/secret-id`. */
export const tidyRow = ({ store }: TokenParts): Row => ({
  pattern: 'tidy/secret-id',
  help: 'Deletes expired secret ids of this mount.',
  operations: {
    write: operation(
      {},
      {
        summary: 'Delete expired secret ids',
        knownFieldsOnly: true,
        replies: accepted,
        async run(_input, { mount, signal }) {
          for (let steps = 0; steps < stepsMax && !signal.aborted; steps += 1) {
            if ((await dropExpired(store, stepSize, mount.id)) < stepSize) break;
          }
          return { status: 202, warnings: [started] };
        },
      },
    ),
  },
});

const started =
  "Tidy operation successfully started. Any information from the operation will be printed to the server's log.";
