import { bytesBody } from '#path/jsonapi/input.ts';
import type { ApiReply, ApiRow } from '#path/jsonapi/row.ts';
import { operation } from '../../access/needs/operation.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { receiveDelivery } from './receive.ts';

/** Size limit of an event; hosts cut what is larger. */
const bytesMax = 8 * 1024 * 1024;

const accepted: ApiReply = { status: 202 };

/** Receives the webhooks of repository hosts. The signature stands for a token. */
export const vcsWebhookRows = ({ store }: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'POST',
    path: '/api/v2/webhooks/vcs/:oauth_client_id',
    summary: 'Receive a signed webhook of a repository host',
    needs: { open: 'signed-request' },
    streamBytesMax: bytesMax,
    body: bytesBody,
    replies: { 202: null, 403: 'The client has no webhook, or the signature is wrong' },
    async run({ parameters, headers, stream }) {
      const pieces: Buffer[] = [];
      for await (const piece of stream) pieces.push(piece);
      await receiveDelivery(store, { clientId: parameters.oauth_client_id, headers, body: Buffer.concat(pieces) });
      return accepted;
    },
  }),
];
