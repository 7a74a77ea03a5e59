import { type Figure, median } from '../figure.ts';
import type { Bench } from '../section.ts';

/** Our own cost. */
const hashCost = 10;

/**
 * How long logins with a wrong password take, of users that are there and of names that nobody has. Their work is the same,
 * which a test counts; here it is seen by the clock.
 */
export async function costOfHashes({ stage, quick, report }: Bench): Promise<readonly Figure[]> {
  const rounds = quick ? 15 : 50;
  // Counted as usual, and never locked.
  await stage.write('sys/auth/userpass/tune', { user_lockout_config: { lockout_threshold: '1000000' } });
  await stage.write('auth/userpass/users/timed', { password: `of cost ${hashCost}` });
  report('wrong passwords, one after the other');
  const known: number[] = [];
  const unknown: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    known.push(await refused('timed'));
    unknown.push(await refused('nobody'));
  }
  const baseline = median(known);
  const value = median(unknown);
  return [
    {
      what: 'Wrong password of nobody; of a user',
      ...{ value, unit: 'ms', compared: { baseline, ratio: value / baseline } },
    },
  ];

  async function refused(name: string): Promise<number> {
    const began = performance.now();
    await stage.write(`auth/userpass/login/${name}`, { password: 'wrong' }).catch(() => undefined);
    return performance.now() - began;
  }
}
