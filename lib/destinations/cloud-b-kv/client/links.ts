// Beyond the usual files: the SDK does not tell where a list of secrets continues, so its pipeline notes it.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { PipelinePolicy } from '@azure/core-rest-pipeline';
import { z } from 'zod';
import { jsonIn } from '../../frame/answer/remote-text.ts';

/** Where the page continues that was read last. */
export interface Link {
  next: string | null;
}

/** The link of the call that is being made. */
export const links = new AsyncLocalStorage<Link>();

const page = z.object({ nextLink: z.string().nullish() });

export function linkPolicy(): PipelinePolicy {
  return {
    name: 'keyferry-link',
    async sendRequest(request, next) {
      const response = await next(request);
      const link = links.getStore();
      if (link !== undefined) link.next = page.safeParse(jsonIn(response.bodyAsText ?? '')).data?.nextLink ?? null;
      return response;
    },
  };
}
