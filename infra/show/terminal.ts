import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** Output for people. Without a terminal, or with NO_COLOR, it is plain text. */
export interface Terminal {
  readonly interactive: boolean;
  line(text?: string): void;
  styled(style: Style, text: string): string;
}

export function openTerminal(stream: NodeJS.WriteStream = process.stdout): Terminal {
  const interactive = stream.isTTY === true;
  return {
    interactive,
    line: (text = '') => stream.write(`${text}\n`),
    // `validateStream` checks NO_COLOR, FORCE_COLOR and whether the stream is a terminal.
    styled: (style, text) => styleText(style, text, { stream, validateStream: true }),
  };
}
