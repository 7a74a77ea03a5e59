import type { RequestContext } from '#path/contract/request.ts';
import type { Store } from '#store/store.ts';
import type { FactsOf } from '../../policy/store/facts.ts';

/** What the rows of `identity/oidc/` need. */
export interface OidcParts {
  readonly store: Store;
  readonly factsOf: FactsOf;
  /** Scheme and authority by which clients know the service; undefined: those of each request. */
  readonly publicUrl: string | undefined;
}

/** The parts of a request that its issuer depends on. */
export type Asked = Pick<RequestContext, 'namespace' | 'headers' | 'connection'>;
