import { run } from './install.ts';
import { Unavailable } from './trial.ts';

/**
 * A program without a trial, since its source has not given it to us: a trial that was never run shows nothing. The source is
 * asked at each run, so that its coming is noticed.
 */
export interface Wanted {
  readonly name: string;
  /** Destination type. */
  readonly type: string;
  readonly source: string;
  /** What shows the type meanwhile. */
  readonly meanwhile: string;
  /** @throws Unavailable when it cannot be had */
  ask(): Promise<void>;
}

const answerMsMax = 15_000;

export const wanted: readonly Wanted[] = [
  {
    name: 'lowkey-vault',
    type: 'cloud-b-kv',
    source: 'Maven Central, com.github.nagyesta.lowkey-vault:lowkey-vault-app',
    meanwhile: 'the contract suite against our stand-in',
    ask: () =>
      reach('https://repo1.maven.org/maven2/com/github/nagyesta/lowkey-vault/lowkey-vault-app/maven-metadata.xml'),
  },
  {
    name: 'gcp-secret-manager-emulator',
    type: 'cloud-c-sm',
    source: 'Go module proxy, github.com/blackwell-systems/gcp-secret-manager-emulator',
    meanwhile: 'the discovery document as an oracle',
    async ask() {
      await run('go', ['version']);
      await reach('https://proxy.golang.org/github.com/blackwell-systems/gcp-secret-manager-emulator/@v/list');
    },
  },
];

async function reach(url: string): Promise<void> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(answerMsMax) }).catch((error: unknown) => error);
  if (!(answer instanceof Response)) throw new Unavailable(`${url} does not answer`, { cause: answer });
  await answer.body?.cancel();
  if (!answer.ok) throw new Unavailable(`${url} answers ${answer.status}`);
}
