import { styleText } from 'node:util';
import type { Sink } from '../host.ts';

type Style = 'red' | 'green' | 'yellow' | 'bold' | 'dim';
type Environment = Readonly<Record<string, string | undefined>>;

/** Colours only on a terminal, and not with NO_COLOR. Node before 20.12 has no styles. */
export const hasColours = (sink: Sink, { NO_COLOR: none = '', TERM: terminal }: Environment): boolean =>
  sink.isTTY === true && none === '' && terminal !== 'dumb' && typeof styleText === 'function';

export const styled = (style: Style, text: string, isColoured: boolean): string =>
  isColoured ? styleText(style, text, { validateStream: false }) : text;

const byStatus: Readonly<Record<string, Style>> = {
  SYNCED: 'green',
  PENDING: 'yellow',
  UNSYNCED: 'dim',
  CLIENT_SIDE_ERROR: 'red',
  EXTERNAL_SERVICE_ERROR: 'red',
  INTERNAL_ERROR: 'red',
  passed: 'green',
  failed: 'red',
  warning: 'yellow',
};

/** Cells that are a status get its colour. */
export const paintStatus =
  (isColoured: boolean) =>
  (text: string): string => {
    const style = byStatus[text];
    return style === undefined ? text : styled(style, text, isColoured);
  };
