import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { runLine } from '#test/support/cli/line.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';

const service = serviceOf(['cloud-a-sm']);

test('a change of a destination is waited for also before its syncs are marked', async () => {
  const [name, secret] = [await service.destination('cloud-a-sm'), await service.secret({ a: 'b' })];
  await service.set('cloud-a-sm', name, secret);
  await service.untilQuiet();
  // Nothing reads PENDING, as when one page is pushed and the next one is not marked yet. Without a sweep it stays so.
  await sql`insert into markings (destination_id, reason, forced, association_max, after_mount)
            select id, 'destination', false, 9223372036854775807, 'ffffffff-ffff-ffff-ffff-ffffffffffff' from destinations where name = ${name}`.execute(
    service.store.db,
  );
  const at = { address: service.address, token: service.rootToken };
  expect((await runLine(['wait', '--to', `cloud-a-sm/${name}`, '--timeout', '0s'], at)).code).toBe(7);
});
