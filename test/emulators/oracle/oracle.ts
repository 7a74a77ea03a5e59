import type { Exchange } from './exchange.ts';

/** The provider's description of its API, as a judge. */
export interface Oracle {
  judge(exchange: Exchange): Judgement;
}

export interface Judgement {
  /** The operation's name in the description. */
  readonly operation: string;
  /** Texts such as `request body: /key_id must be string`, without values. */
  readonly differences: readonly string[];
}

/** `packages`: the folder with the installed description. */
export type OpenOracle = (packages: string) => Promise<Oracle>;

export function parseJson(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
