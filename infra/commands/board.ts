import { openBoard } from '#app.ts';
import { readConfig } from '#core/config.ts';
import { openLog } from '#core/log/open.ts';
import { authority } from '../process/address.ts';
import { measured } from '../process/measured.ts';
import { runUntilSignal } from '../process/run.ts';
import { mustUnsealItself } from '../process/unsealing.ts';
import { optionsOf } from '../show/options.ts';

optionsOf('board', {});

/** `npm run board`: the queues in a browser, for holders of a root token. It looks tokens up in the store, so it must be unsealed. */
await runUntilSignal(async () => {
  const config = readConfig();
  mustUnsealItself(config, 'board');
  const log = openLog(config);
  const board = await measured(config, (metrics) => openBoard({ config, log, metrics }));
  const { port } = await board.listen(config.KEYFERRY_BOARD_PORT, config.KEYFERRY_HOST);
  process.stdout.write(`ready http://${authority(config.KEYFERRY_HOST, port)}\n`);
  return board;
});
