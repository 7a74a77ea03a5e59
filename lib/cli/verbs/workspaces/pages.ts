import type { Reply } from '#client/client.ts';
import { memberOf, textOf, type Value } from '#client/wire/json.ts';

/** The largest page of the service. */
const pageSize = '100';

/** The fields that choose a page. */
export interface Page {
  readonly 'page[number]': string;
  readonly 'page[size]': string;
}

/** The resources of all pages of a list. */
export async function* everyPage(read: (page: Page) => Promise<Reply>): AsyncGenerator<Value> {
  for (let next = '1'; next !== ''; ) {
    const { whole } = await read({ 'page[number]': next, 'page[size]': pageSize });
    const resources = memberOf(whole, 'data');
    if (Array.isArray(resources)) yield* resources;
    next = textOf(whole, 'meta', 'pagination', 'next-page');
  }
}
