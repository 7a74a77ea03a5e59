import { type Figure, median } from '../measure/figure.ts';
import type { Bench } from '../section.ts';

/** Our own cost. */
const hashCost = 10;

/**
 * How long logins with a wrong password take, for existing users and for unknown names. A test checks that the work is the same;
 * this measures the time.
 */
export async function costOfHashes({ stage, quick, report }: Bench): Promise<readonly Figure[]> {
  const rounds = quick ? 15 : 50;
  // Failures are counted as usual, without a lockout.
  await stage.write('sys/auth/userpass/tune', { user_lockout_config: { lockout_threshold: '1000000' } });
  await stage.write('auth/userpass/users/timed', { password: `of cost ${hashCost}` });
  report('wrong passwords, one after another');
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
      what: 'Wrong password of an unknown name; of a user',
      value,
      unit: 'ms',
      compared: { baseline, ratio: value / baseline },
    },
  ];

  async function refused(name: string): Promise<number> {
    const began = performance.now();
    await stage.write(`auth/userpass/login/${name}`, { password: 'wrong' }).catch(() => undefined);
    return performance.now() - began;
  }
}
