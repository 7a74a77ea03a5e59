import { bashScript, zshScript } from '../completion/bash.ts';
import { fishScript } from '../completion/fish.ts';
import { type Following, following } from '../completion/words.ts';
import { usage } from '../failure.ts';
import { text } from '../output/result.ts';
import type { Group, Verb } from '../verb.ts';

const scripts: Readonly<Record<string, (all: readonly Following[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** The command needs all the others. */
export const completionOf = (groups: readonly Group[]): Verb => ({
  name: 'completion',
  summary: 'Print a script with which a shell completes command lines',
  arguments: [['<shell>', 'bash, zsh or fish']],
  examples: ['eval "$(keyferry completion bash)"'],
  async run(_context, given) {
    const script = scripts[given.argument(0)];
    if (script === undefined) throw usage(`"${given.argument(0)}" is not bash, zsh or fish`, given.verb);
    return text(script(await following(groups)));
  },
});
