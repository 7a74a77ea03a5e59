import type { Exchange } from './exchange.ts';

/** The provider's description of its API, as a judge. */
export interface Oracle {
  judge(exchange: Exchange): Judgement;
}

export interface Judgement {
  /** The description's name for it. */
  readonly operation: string;
  /** Texts such as `request body: /key_id must be string`. No values. */
  readonly differences: readonly string[];
}

/** `packages`: folder in which the description was installed. */
export type OpenOracle = (packages: string) => Promise<Oracle>;

export function parseJson(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
