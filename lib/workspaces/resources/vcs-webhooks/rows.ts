import { bytesBody } from '#path/jsonapi/input.ts';
import type { ApiReply, ApiRow } from '#path/jsonapi/row.ts';
import { operation } from '../../access/needs/operation.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { BodiesInFlight, wholeBody } from './in-flight.ts';
import { receiveDelivery } from './receive.ts';

/**
 * Size limit of an event. The largest are pushes to GitHub, which names at most 2,048 commits of a push with their files: about 3 MiB. The other
 * hosts name at most 20.
 */
const bytesMax = 4 * 1024 * 1024;

/** Time in which an event must arrive, in milliseconds: a slow sender must not occupy the place of others. */
const arrivalMsMax = 30_000;

const accepted: ApiReply = { status: 202 };

/** Receives the webhooks of repository hosts. The signature stands for a token. */
export const vcsWebhookRows = ({ store }: WorkspaceParts): readonly ApiRow[] => {
  const bodies = new BodiesInFlight();
  return [
    operation({
      method: 'POST',
      path: '/api/v2/webhooks/vcs/:oauth_client_id',
      summary: 'Receive a signed webhook of a repository host',
      needs: { open: 'signed-request' },
      streamBytesMax: bytesMax,
      body: bytesBody,
      replies: {
        202: null,
        403: 'The client has no webhook, or the signature is wrong',
        413: 'The event is larger than 4 MiB',
        503: 'Too many webhooks arrive at the same time',
      },
      async run({ parameters, headers, remoteAddress, stream }) {
        const release = bodies.reserve(remoteAddress, bytesOf(headers['content-length']));
        try {
          const body = await wholeBody(stream, AbortSignal.timeout(arrivalMsMax));
          await receiveDelivery(store, { clientId: parameters.oauth_client_id, headers, body });
          return accepted;
        } finally {
          release();
        }
      },
    }),
  ];
};

/** What a body may take, by the head of its request. One that is longer is refused before it is read. */
function bytesOf(length: string | readonly string[] | undefined): number {
  return typeof length === 'string' && /^\d+$/.test(length) ? Math.min(Number(length), bytesMax) : bytesMax;
}
