import { type Stage, stageOrder } from '#http/v1/stage.ts';

/** What happens at a stage, and with which statuses it refuses a request. */
const described: Readonly<Record<Stage['at'], { readonly does: string; readonly refuses: string }>> = {
  address: {
    does: 'finds the namespace, the mount and the row of the path, and counts the request for the rate limits',
    refuses: '400, 404, 429, 503',
  },
  authenticate: { does: 'finds the caller behind the token', refuses: '403' },
  authorise: {
    does: 'reads the fields and asks the gatekeeper; checks the codes of TOTP methods that a rule demands',
    refuses: '403',
  },
  'audit-request': {
    does: 'refuses to wrap the reply of a path that answers while sealed; records the request',
    refuses: '400, 500',
  },
  run: { does: 'runs the operation of the row', refuses: '400, 404, 405, and what the operation throws' },
  lease: { does: 'nothing yet', refuses: '' },
  wrap: { does: 'stores the reply for the holder of the wrapping token, if the client asked for that', refuses: '400' },
  'audit-reply': { does: 'records the outcome of the request', refuses: '500' },
};

/** The stages of a request in the order of the pipeline. */
export const stages = (): string =>
  [
    '| stage | what happens | may refuse with |',
    '| --- | --- | --- |',
    ...[...stageOrder.before, ...stageOrder.after].map(
      (stage) => `| \`${stage}\` | ${described[stage].does} | ${described[stage].refuses} |`,
    ),
  ].join('\n');
