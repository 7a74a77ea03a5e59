import type { Namespaces } from '#mounts/contract/namespaces.ts';
import type { Reply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { mustHaveToken } from '../valid-token.ts';
import { nameBelow, namespaceView } from './fields.ts';

/** `sys/namespaces` as a list; for user interfaces, only the namespaces in which the caller has a grant. */
export const listRows = (namespaces: Namespaces): readonly Row[] => [
  {
    pattern: 'namespaces/',
    help: 'Lists the namespaces directly below this one.',
    operations: {
      list: operation({}, { summary: 'List namespaces', run: (_input, context) => list(namespaces, context) }),
    },
  },
  {
    pattern: 'internal/ui/namespaces',
    help: 'Shows the namespaces directly below this one in which the caller has any grant.',
    operations: {
      read: operation(
        {},
        {
          summary: 'Show namespaces',
          unauthenticated: true,
          run: (_input, context) => visible(namespaces, context),
        },
      ),
    },
  },
];

async function list(namespaces: Namespaces, { namespace }: RequestContext): Promise<Reply> {
  const found = await namespaces.below(namespace);
  const keys = found.map((one) => nameBelow(namespace, one)).sort();
  const key_info = Object.fromEntries(found.map((one) => [nameBelow(namespace, one), namespaceView(one)]));
  return { data: { keys, key_info } };
}

async function visible(namespaces: Namespaces, context: RequestContext): Promise<Reply> {
  mustHaveToken(context);
  const keys: string[] = [];
  for (const one of await namespaces.below(context.namespace)) {
    const name = nameBelow(context.namespace, one);
    if (await context.reaches(name)) keys.push(name);
  }
  return { data: { keys: keys.sort() } };
}
